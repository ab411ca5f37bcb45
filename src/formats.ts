// The public names of "drey/formats": text to data and back, and the checks that governance makes of a text. No I/O, runs in a browser.
export {
  checkEntry,
  type Diagnostic,
  type DiagnosticCode,
  diagnosticSeverity,
  type Severity,
} from "./formats/diagnostics.ts"
export {
  type EntriesFile,
  type ReadContext,
  type ReadEntry,
  readEntries,
  type Segment,
} from "./formats/entries.ts"
export {
  agentOfScope,
  agentScope,
  type Entry,
  type EntryType,
  type Extension,
  entryTypes,
  isScope,
  type Related,
  relatedTypes,
  type Scope,
  sameScope,
} from "./formats/entry.ts"
export { toEntryJson } from "./formats/entry-json.ts"
export { appendEntries, type MarkField, markEntry } from "./formats/entry-placing.ts"
export { type EntryJson, entryJsonSchema, entrySchema, readEntryJson } from "./formats/entry-schema.ts"
export { type EntryPlace, type EntrySource, entryPlaceOf, entrySources } from "./formats/entry-source.ts"
export { type NewEntry, normalizeEntry, type WriteOptions, writeEntry } from "./formats/entry-writer.ts"
export { isFileMeant, pathsIn } from "./formats/file-paths.ts"
export { assignIds, bodyHash, derivedId, entryId } from "./formats/ids.ts"
export type { FileKind } from "./formats/legacy/fallbacks.ts"
export type { LegacyReading, ReviewReason } from "./formats/legacy/legacy-entry.ts"
export { missingLines } from "./formats/legacy/missing-lines.ts"
export { makeRoster, memberRoles, type Roster, rosterNamesOf } from "./formats/legacy/roster.ts"
export { cutAtWord } from "./formats/legacy/summary.ts"
export { demoteHeadings } from "./formats/markdown.ts"
export {
  completeQuery,
  formatQuery,
  type ParsedQuery,
  parseQuery,
  type Query,
  type QueryProblem,
  type QueryValues,
} from "./formats/query.ts"
export { foldText, type ItemStatus, matchesQuery, type QueryItem, statusOfEntry } from "./formats/query-match.ts"
export { type Linkable, type Links, linkEntries, type Reference, referenceResolver } from "./formats/references.ts"
export { knownField, parseFieldLine, parseSemHeader } from "./formats/sem-grammar.ts"
export type { AgentMemory, Attempt, Discovery, MemoryContext, SessionDecision } from "./formats/session/agent-memory.ts"
export { type AgentMemoryReading, readAgentMemory } from "./formats/session/agent-memory-file.ts"
export { agentSlug, isSessionId, makeSessionId } from "./formats/session/session-id.ts"
export { agentMemoryJsonSchema, siblingJsonSchema } from "./formats/session/session-json-schema.ts"
export type { SessionProblem } from "./formats/session/session-problem.ts"
export { readSiblingFile, type SiblingData, type SiblingKind } from "./formats/session/sibling-file.ts"
export { readSkill, type Skill, writeSkill } from "./formats/skill.ts"
export { dominantLineEnd } from "./formats/source-text.ts"
export { renderSquadUiView } from "./formats/squadui-view.ts"
export {
  instantOf,
  parseDuration,
  parseTimestamp,
  type Timestamp,
  timestampFromDate,
  toMarkdownTimestamp,
} from "./formats/timestamp.ts"
export {
  type Classification,
  type ClassifyRequest,
  classify,
  type Destination,
  type LoadGuidance,
  type MemoryClass,
} from "./governance/classify.ts"
export { type Cleared, type Clearing, clearText, type PersonalDataPolicy } from "./governance/cleared.ts"
export type { ForbiddenReason } from "./governance/detect-forbidden.ts"
export { findSensitive, redactSecrets, type Sensitive, sensitiveDiagnostic } from "./governance/redaction.ts"
