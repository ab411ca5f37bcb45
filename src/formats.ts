// The public names of "drey/formats": text to data and back, no I/O, runs in a browser.
export { checkEntry } from "./formats/check-entry.ts"
export { completeQuery } from "./formats/complete-query.ts"
export { demoteHeadings } from "./formats/demote-headings.ts"
export { type Diagnostic, type DiagnosticCode, diagnosticSeverity, type Severity } from "./formats/diagnostics.ts"
export { type Entry, type EntryType, type Extension, entryTypes, type Related } from "./formats/entry.ts"
export { assignIds, entryId } from "./formats/entry-id.ts"
export { toEntryJson } from "./formats/entry-json.ts"
export { type EntryJson, entryJsonSchema, entrySchema, readEntryJson } from "./formats/entry-schema.ts"
export type { FileKind } from "./formats/legacy/fallbacks.ts"
export type { LegacyReading, ReviewReason } from "./formats/legacy/read-legacy-entry.ts"
export { makeRoster, type Roster, rosterNamesOf } from "./formats/legacy/roster.ts"
export { matchesQuery, type QueryItem } from "./formats/matches-query.ts"
export { type NewEntry, normalizeEntry } from "./formats/normalize-entry.ts"
export { parseDuration } from "./formats/parse-duration.ts"
export { formatQuery, type ParsedQuery, parseQuery, type Query, type QueryProblem } from "./formats/query.ts"
export {
  type EntriesFile,
  type ReadContext,
  type ReadEntry,
  readEntries,
  type Segment,
} from "./formats/read-entries.ts"
export { type Linkable, type Links, linkEntries, type Reference, referenceResolver } from "./formats/references.ts"
export { agentOfScope, agentScope, isScope, type Scope, sameScope } from "./formats/scope.ts"
export type { AgentMemory, Attempt, Discovery, MemoryContext, SessionDecision } from "./formats/session/agent-memory.ts"
export { agentMemoryJsonSchema, siblingJsonSchema } from "./formats/session/agent-memory-json-schema.ts"
export { type AgentMemoryReading, readAgentMemory } from "./formats/session/read-agent-memory.ts"
export { readSiblingFile, type SiblingData, type SiblingKind } from "./formats/session/read-sibling-file.ts"
export { agentSlug, isSessionId, makeSessionId } from "./formats/session/session-id.ts"
export type { SessionProblem } from "./formats/session/session-problem.ts"
export { readSkill, type Skill, writeSkill } from "./formats/skill.ts"
export { renderSquadUiView } from "./formats/squadui-view.ts"
export { instantOf, parseTimestamp, type Timestamp, toMarkdownTimestamp } from "./formats/timestamp.ts"
export { type WriteOptions, writeEntry } from "./formats/write-entry.ts"
