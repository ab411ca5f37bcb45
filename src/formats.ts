// The public names of "drey/formats": text to data and back, no I/O, runs in a browser.
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
  type Scope,
  sameScope,
} from "./formats/entry.ts"
export { toEntryJson } from "./formats/entry-json.ts"
export { type EntryJson, entryJsonSchema, entrySchema, readEntryJson } from "./formats/entry-schema.ts"
export { type NewEntry, normalizeEntry, type WriteOptions, writeEntry } from "./formats/entry-writer.ts"
export { assignIds, entryId } from "./formats/ids.ts"
export type { FileKind } from "./formats/legacy/fallbacks.ts"
export type { LegacyReading, ReviewReason } from "./formats/legacy/legacy-entry.ts"
export { makeRoster, type Roster, rosterNamesOf } from "./formats/legacy/roster.ts"
export { demoteHeadings } from "./formats/markdown.ts"
export {
  completeQuery,
  formatQuery,
  type ParsedQuery,
  parseQuery,
  type Query,
  type QueryProblem,
} from "./formats/query.ts"
export { matchesQuery, type QueryItem } from "./formats/query-match.ts"
export { type Linkable, type Links, linkEntries, type Reference, referenceResolver } from "./formats/references.ts"
export type { AgentMemory, Attempt, Discovery, MemoryContext, SessionDecision } from "./formats/session/agent-memory.ts"
export { type AgentMemoryReading, readAgentMemory } from "./formats/session/agent-memory-file.ts"
export { agentSlug, isSessionId, makeSessionId } from "./formats/session/session-id.ts"
export { agentMemoryJsonSchema, siblingJsonSchema } from "./formats/session/session-json-schema.ts"
export type { SessionProblem } from "./formats/session/session-problem.ts"
export { readSiblingFile, type SiblingData, type SiblingKind } from "./formats/session/sibling-file.ts"
export { readSkill, type Skill, writeSkill } from "./formats/skill.ts"
export { renderSquadUiView } from "./formats/squadui-view.ts"
export { instantOf, parseDuration, parseTimestamp, type Timestamp, toMarkdownTimestamp } from "./formats/timestamp.ts"
