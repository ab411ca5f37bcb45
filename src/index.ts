// The public names of "drey". The formats alone are in "drey/formats", Squad's spellings in "drey/squad-sdk".

export type { Clients } from "./drey/clients.ts"
export type { Contexts, IndexProgress, SessionContext } from "./drey/contexts.ts"
export type { Governed } from "./drey/governed.ts"
export type { Memories, MemoryReport, Transcripts } from "./drey/memories.ts"
export type { EntriesResult, NamedItem, NameKind, RecentRequest, Search, Unread, WholeItem } from "./drey/search.ts"
export type { TeamServer } from "./drey/server.ts"
export type { WorkingSessions } from "./drey/sessions.ts"
export { buildContext, saveMemory } from "./drey/squad.ts"
export type {
  Changes,
  Conversion,
  ImportOptions,
  Scrub,
  SetUp,
  TeamFolder,
  ValidationTarget,
} from "./drey/team-folder.ts"
export { type Drey, openDrey } from "./drey.ts"
export { DreyError, type ExitCode, exitCode } from "./errors.ts"
export type { ClientSession, SessionTask } from "./formats/client-session.ts"
export { parseQuery, type Query } from "./formats/query.ts"
export type {
  AgentMemory,
  Attempt,
  AttemptResult,
  Discovery,
  Impact,
  Importance,
  MemoryContext,
  SessionDecision,
} from "./formats/session/agent-memory.ts"
export type { SessionProblem, SessionProblemCode } from "./formats/session/session-problem.ts"
export type { MachineState, Message, Plan, PlanStep, SessionMetadata } from "./formats/session/sibling-files.ts"
export type { AuditAction, AuditRecord } from "./governance/audit-chain.ts"
export type { Classification, Destination, LoadGuidance, MemoryClass } from "./governance/classify.ts"
export type { AuditProblem, AuditVerification } from "./governance/verify-audit.ts"
export type { ItemSource } from "./index/item.ts"
export type { DreyOptions, GovernedOptions } from "./project.ts"
export type { Context, ContextRequest, Explanation, Inclusion } from "./recall/build-context.ts"
export type { ContextRecord } from "./recall/context-log.ts"
export type { ItemExplanation } from "./recall/explain-item.ts"
export type { Recent, RecentSession, SessionLog } from "./recall/recent.ts"
export type { Reindexing } from "./recall/reindex.ts"
export type { Rule } from "./recall/rules.ts"
export type { SearchHit, SearchRequest } from "./recall/search.ts"
export type { SquadContext, SquadContextOptions } from "./recall/squad-frame.ts"
export type { Trouble } from "./recall/trouble.ts"
export type { ArbiterBrief } from "./sessions/brief-arbiter.ts"
export { buildAgentSystemPrompt } from "./sessions/build-agent-system-prompt.ts"
export { type ArbiterInput, buildArbiterSelectPrompt } from "./sessions/build-arbiter-select-prompt.ts"
export { type FoundDiscovery, findDiscovery } from "./sessions/find-discovery.ts"
export { findSimilarAttempt, type SimilarAttempt, similarityWarning } from "./sessions/find-similar-attempt.ts"
export { formatMemoryContext, type MemoryContextOptions } from "./sessions/format-memory-context.ts"
export type { GraduationRequest, SessionGraduation } from "./sessions/graduate-session.ts"
export type { Graduate } from "./sessions/graduation/graduate.ts"
export type { AgentPrompt, AgentPromptRequest } from "./sessions/prompt-agent.ts"
export { type RecurringFailure, recurringFailures } from "./sessions/recurring-failures.ts"
export { selectWithoutModel } from "./sessions/select-without-model.ts"
export type {
  Archiving,
  AttemptChanges,
  AttemptEnd,
  Cleanup,
  ContextChanges,
  ContextList,
  NewAttempt,
  NewDecision,
  NewDiscovery,
  NewMessage,
  NewPlan,
  Session,
  SessionEntry,
  SessionExport,
  SessionSummary,
  Sessions,
  SessionValidation,
  Trace,
} from "./sessions/session.ts"
export type { ArchiveOptions } from "./squad/archive/archive-decisions.ts"
export type { ExportResult } from "./squad/bundle/export-bundle.ts"
export type { BundleImport, ImportMode } from "./squad/bundle/import-bundle.ts"
export type { StoreEntry } from "./squad/collect-entries.ts"
export type { ConversionLevel, ConversionRecord, ConvertOptions, ReviewAnswer } from "./squad/convert-file.ts"
export type { ConversionPlan, ConversionResult, ConvertStoreOptions, FilePlan } from "./squad/convert-store.ts"
export type { Check } from "./squad/doctor/check.ts"
export type {
  Edit,
  EditAction,
  EditableItem,
  EditOutcome,
  Editor,
  Forget,
  Pin,
  Supersede,
  UndoOffer,
} from "./squad/edit/editor.ts"
export type { MergeRequest } from "./squad/git/merge-for-git.ts"
export type { ForeignFormat } from "./squad/import/foreign-entry.ts"
export type { ForeignImport } from "./squad/import/import-foreign.ts"
export type {
  Accept,
  BrokenFile,
  InboxContent,
  InboxDesk,
  InboxProposal,
  MergeInto,
  NearPair,
  Refuse,
} from "./squad/inbox/inbox-desk.ts"
export type { SetUpOptions, SetUpPlan, SetUpResult, SetUpStep } from "./squad/init/set-up-store.ts"
export type { EntrySource } from "./squad/list-files.ts"
export type { GovernedMemory, ProviderChange, ProviderStatus } from "./squad/memory/governed-memory.ts"
export type { IndexRecord } from "./squad/memory/memory-index.ts"
export type { AdapterClient, MemoryProvider, ProviderHit, ProviderWrite } from "./squad/memory/providers.ts"
export type { FullMemory } from "./squad/memory/read-memory.ts"
export type { SearchFilters, SearchResult } from "./squad/memory/search-memory.ts"
export type { WriteRequest, WriteResult } from "./squad/memory/write-request.ts"
export type { Capture } from "./squad/merge/capture-directive.ts"
export type { MergeOptions, MergeReport } from "./squad/merge/merge-inbox.ts"
export type { NewMemory, SaveOutcome } from "./squad/save-memory.ts"
export type { ScrubFinding, ScrubPlan } from "./squad/scrub.ts"
export type { AuthorStats, Share, Stats, WeekStats } from "./squad/stats.ts"
export type { AgentLoad, Metrics } from "./squad/tidy/measure.ts"
export type { TidyResult } from "./squad/tidy/tidy-store.ts"
export type { Action } from "./squad/tidy/work.ts"
export type { StoreChange } from "./squad/undo.ts"
export type { FileDiagnostic, Validation } from "./squad/validate-store.ts"
export type { EpisodeConsent } from "./store/team-episodes.ts"
export type { SharePlan, Team } from "./team/client/open-team.ts"
export type { ShareResult } from "./team/client/push-shares.ts"
export type { TeamStatus } from "./team/client/read-team-status.ts"
export type { LoginRequest } from "./team/client/sign-in.ts"
export type { Syncing } from "./team/client/sync-team.ts"
export type { RepositoryTrust, TrustRecord } from "./trust.ts"
