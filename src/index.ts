// The public names of "drey". The formats alone are in "drey/formats", Squad's spellings in "drey/squad-sdk".

export type { FileResult } from "./clients/connect/connect-files.ts"
export type { ConnectOptions, ConnectPlan } from "./clients/connect/connect-plan.ts"
export type { RunningProgram } from "./clients/connect/connections.ts"
export type { DisconnectOptions, DisconnectPlan } from "./clients/connect/disconnect-plan.ts"
export type { WriterSettings } from "./config.ts"
export type { Clients } from "./drey/clients.ts"
export type { Contexts, IndexProgress, SessionContext } from "./drey/contexts.ts"
export type { Governed } from "./drey/governed.ts"
export type { Memories, MemoryReport, Transcripts } from "./drey/memories.ts"
export type { Past, PastItem } from "./drey/past.ts"
export type { EntriesResult, NamedItem, NameKind, RecentRequest, Search, Unread, WholeItem } from "./drey/search.ts"
export type { ServerClient } from "./drey/server.ts"
export type { WorkingSessions } from "./drey/sessions.ts"
export { buildContext, saveMemory } from "./drey/squad.ts"
export type {
  Changes,
  Conversion,
  ImportOptions,
  KnowledgeFiles,
  RememberOptions,
  Scrub,
  SetUp,
  TeamFolder,
  Upkeep,
  ValidationTarget,
} from "./drey/team-folder.ts"
export { type Drey, openDrey } from "./drey.ts"
export { DreyError, type ExitCode, exitCode } from "./errors.ts"
export type { Check } from "./formats/check.ts"
export type { ToolCall } from "./formats/client-events.ts"
export type { ClientSession, SessionTask } from "./formats/client-session.ts"
export type { EntrySource } from "./formats/entry-source.ts"
export type { Policy } from "./formats/policy.ts"
export type { ParsedQuery } from "./formats/query.ts"
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
export type { MachineState, Message, Plan, PlanStep, SessionMetadata } from "./formats/session/sibling-schemas.ts"
export type { Timestamp } from "./formats/timestamp.ts"
export type { AuditAction, AuditRecord } from "./governance/audit.ts"
export type { AuditProblem, AuditVerification } from "./governance/audit-verification.ts"
export type { Classification, Destination, LoadGuidance, MemoryClass } from "./governance/classify.ts"
export type { ItemSource, StoredItem } from "./index/index-store.ts"
export type { ChangeEvent, ChangeFeed } from "./learning/change-feed.ts"
export type { SessionRequest } from "./learning/client-sessions.ts"
export type { ConversationRequest } from "./learning/conversation-summary.ts"
export type { HandedEpisode, WrittenEpisode } from "./learning/external-episode.ts"
export type { Flush } from "./learning/flush.ts"
export type { CatchUp, Ingestion } from "./learning/ingest.ts"
export type { LearnedGraduation } from "./learning/learned-graduation.ts"
export type { IngestRequest } from "./learning/learning.ts"
export type { LearningProject } from "./learning/learning-parts.ts"
export type { LearningStatus } from "./learning/learning-status.ts"
export type { MachineSync, SyncPlace } from "./learning/machine-sync.ts"
export type { ForgetReport } from "./learning/memory-editor.ts"
export type { LearningPause } from "./learning/pause.ts"
export type { Evaluation } from "./learning/project-evaluation.ts"
export type { Replay, ReplayStep } from "./learning/replay.ts"
export type { SessionLessons } from "./learning/session-lessons.ts"
export type { LearnedExport, LearnedImport } from "./learning/transfer.ts"
export type { TranscriptWatchOptions } from "./learning/watch.ts"
export type { WriterPrompt } from "./learning/writer/prompt.ts"
export type { WriterOffer } from "./learning/writer/writer-offers.ts"
export type { WriterTrial } from "./learning/writer-trial.ts"
export type { LearnedFilter, OutcomeReport, TaskComparison } from "./memories/learned-store.ts"
export type { Memory } from "./memories/memory.ts"
export type { MemoryExplanation } from "./memories/review/outlook.ts"
export type { JudgedName } from "./memories/staleness/name-verdict.ts"
export type { RememberedItem, Staleness, StalenessReport } from "./memories/staleness/staleness.ts"
export type { DreyOptions, GovernedOptions } from "./project.ts"
export type { BindingRule } from "./recall/binding-rules.ts"
export type { AgentDescription, AgentSummary } from "./recall/browse/agents.ts"
export type { ContextAnswer } from "./recall/browse/app-api.ts"
export type { Browse } from "./recall/browse/browse.ts"
export type { Catalogue } from "./recall/browse/catalogue.ts"
export type { ItemDescription } from "./recall/browse/item-detail.ts"
export type { ItemPage } from "./recall/browse/item-list.ts"
export type { ItemTimeline, StoreOverview } from "./recall/browse/overview.ts"
export type { Context, ContextRequest, Explanation, Inclusion } from "./recall/context/context-builder.ts"
export type { ContextRecord } from "./recall/context/context-log.ts"
export type { ComposedContext, ComposeRequest, HandoutRequest } from "./recall/context/handout.ts"
export type { ItemExplanation } from "./recall/context/item-explanation.ts"
export type { SessionContextRequest } from "./recall/context/session-context.ts"
export type { SquadContext, SquadContextOptions } from "./recall/context/squad-context.ts"
export type { AdviceRequest } from "./recall/guards/error-advice.ts"
export type { CompiledGuard } from "./recall/guards/guard-match.ts"
export type { CommitPayload, ConversationPayload } from "./recall/payload.ts"
export type { EverythingOutcome, EverythingRequest } from "./recall/search/combined-search.ts"
export type { SearchHit, SearchRequest } from "./recall/search/item-search.ts"
export type { LearnedHit, LearnedSearch } from "./recall/search/learned-search.ts"
export type { LineOrigin } from "./recall/search/origin-of-line.ts"
export type { Recent, RecentSession, SessionLog } from "./recall/search/recent-activity.ts"
export type { Reindexing } from "./recall/sync/index-rebuild.ts"
export type { ReadProblems } from "./recall/sync/origins.ts"
export type { HistoryState, PastOptions } from "./recall/sync/past-index.ts"
export type { ShareResult } from "./server/client/shares.ts"
export type { TeamStatus } from "./server/client/status.ts"
export type { SyncResult } from "./server/client/sync.ts"
export type { LoginRequest, SharePlan, TeamClient } from "./server/client/team.ts"
export type { EpisodeConsent } from "./server/client/team-ledger.ts"
export type { AgentPrompt, AgentPromptRequest } from "./sessions/agent-prompt.ts"
export { buildAgentSystemPrompt, formatMemoryContext, type MemoryContextOptions } from "./sessions/agent-prompt.ts"
export type { ArbiterBrief } from "./sessions/arbiter.ts"
export {
  type ArbiterInput,
  buildArbiterSelectPrompt,
  type FoundDiscovery,
  findDiscovery,
  selectWithoutModel,
} from "./sessions/arbiter.ts"
export { type RecurringFailure, recurringFailures } from "./sessions/failed-attempts.ts"
export type { Graduate } from "./sessions/graduation/graduate.ts"
export type { GraduationRequest, Landing, SessionGraduation } from "./sessions/graduation/session-graduation.ts"
export type {
  Archiving,
  AttemptChanges,
  AttemptEnd,
  Cleanup,
  ContextChanges,
  ContextList,
  EntryTrace,
  GraduationMark,
  ListOptions,
  NewAttempt,
  NewDecision,
  NewDiscovery,
  NewMessage,
  NewPlan,
  PlanChanges,
  Session,
  SessionEntry,
  SessionExport,
  SessionPlan,
  SessionSummary,
  Sessions,
  SessionValidation,
} from "./sessions/session-api.ts"
export type { SimilarityOptions } from "./sessions/similar-attempts.ts"
export { findSimilarAttempt, type SimilarAttempt, similarityWarning } from "./sessions/similar-attempts.ts"
export type { ArchiveOptions } from "./team/archive/decision-archive.ts"
export type { ExportResult } from "./team/bundle/bundle-export.ts"
export type { BundleImport, ImportMode } from "./team/bundle/bundle-import.ts"
export type { TidyAction } from "./team/change-plan.ts"
export type {
  ConversionPlan,
  ConversionResult,
  ConvertStoreOptions,
  FileConversionPlan,
} from "./team/conversion/conversion.ts"
export type {
  ConversionLevel,
  ConversionRecord,
  ConvertOptions,
  ReviewAnswer,
} from "./team/conversion/file-conversion.ts"
export type { BugReport } from "./team/doctor/bug-report.ts"
export type {
  AvailableUndo,
  EditAction,
  EditableItem,
  EditOutcome,
  Editor,
  EditRequest,
  ForgetEntryRequest,
  PinRequest,
  ReplaceRequest,
  SupersedeRequest,
} from "./team/edit/item-edit.ts"
export type { MergeRequest } from "./team/git/three-way-merge.ts"
export type { AgentMemoryRequest, MemoryToSave, SaveOutcome } from "./team/governed/agent-history.ts"
export type { GovernedMemory, ProviderChange, ProviderStatus } from "./team/governed/governed-memory.ts"
export type { SearchFilters, SearchResult } from "./team/governed/governed-search.ts"
export type { WriteRequest, WriteResult } from "./team/governed/governed-write.ts"
export type { LogLevelRequest, LogLevelSetting } from "./team/governed/log-level.ts"
export type { IndexRecord } from "./team/governed/memory-index.ts"
export type { FullMemory } from "./team/governed/memory-reader.ts"
export type { AdapterClient, MemoryProvider, ProviderHit, ProviderWrite } from "./team/governed/providers.ts"
export type { ForeignFormat } from "./team/import/foreign-entry.ts"
export type { ForeignImport } from "./team/import/foreign-import.ts"
export type { FoundSource } from "./team/import/foreign-sources.ts"
export type {
  AcceptRequest,
  BrokenInboxFile,
  InboxContent,
  InboxProposal,
  MergeIntoRequest,
  NearPair,
  RefuseRequest,
  TeamInbox,
} from "./team/inbox/contents.ts"
export type { MergeOptions, MergeReport } from "./team/merge/inbox-merge.ts"
export type { Capture, RememberOutcome } from "./team/remember.ts"
export type { ScrubFinding, ScrubPlan } from "./team/scrub.ts"
export type { SetUpOptions, SetUpPlan, SetUpResult, SetUpStep } from "./team/setup.ts"
export type { AgentLoad, TidyMetrics } from "./team/sizes.ts"
export type { StateFiles, StateOutcome } from "./team/state-files.ts"
export type { StoreEntry } from "./team/team-entries.ts"
export type { AuthorStats, StatsShare, TeamStats, WeekStats } from "./team/team-stats.ts"
export type { TidyResult } from "./team/team-tidy.ts"
export type { StoreChange } from "./team/undo.ts"
export type { UpkeepOutcome, UpkeepRecord } from "./team/upkeep.ts"
export type { FileDiagnostic, Validation } from "./team/validation.ts"
export type { RepositoryTrust, TrustRecord } from "./trust.ts"
