import type { Check } from "../../formats/check.ts"
import type { Severity } from "../../formats/diagnostics.ts"
import type { ItemStatus } from "../../formats/query-match.ts"
import type { AgentMemory } from "../../formats/session/agent-memory.ts"
import type { MachineState, Plan, SessionMetadata } from "../../formats/session/sibling-schemas.ts"

import type { Context } from "../context/context-builder.ts"
import type { ConversationPayload } from "../payload.ts"
import type { ItemSummary } from "./catalogue.ts"
import type { ItemGraph } from "./item-detail.ts"
import type { ItemFacets } from "./item-list.ts"
import type { ItemTimeline } from "./overview.ts"

/**
 * The requests and responses of the browser app, as JSON over HTTP. Times are milliseconds since 1970 unless they are named `…At`, which
 * are ISO strings. Every response that shows something editable has its `version`: a change names the version it was made from, and gets
 * `Conflict` (409) if another change came first.
 */

export type Status = ItemStatus

/** One line of a list. */
export type Row = ItemSummary & {
  /** A passage that matches, and the positions of the matches in it. */
  snippet?: string
  highlights?: [start: number, end: number][]
}

/** `GET /api/items?q=&limit=&offset=`: in the query language of `drey search`; best first for words, otherwise newest first. */
export type Items = {
  rows: Row[]
  total: number
  facets: Facets
  /** Problems of the query; then there are no rows. */
  problems: { start: number; end: number; message: string }[]
}

/** How many results have each value, the most common first. */
export type Facets = ItemFacets

/** `GET /api/timeline?q=`: every dated item that the query finds, oldest first, column by column. */
export type TimelineAnswer = ItemTimeline

/** `GET /api/items/:id` */
export type Detail = {
  row: Row
  version: string
  /** Where the query's id was a former one. */
  formerId: string | null
  /** The text as Markdown, without its heading and metadata. */
  markdown: string
  /** Its other recorded fields, in display order. */
  fields: { name: string; value: string }[]
  /** What it replaced, oldest first, and what replaced it, newest last. */
  older: Row[]
  newer: Row[]
  related: Graph
  evidence: EvidenceRow[]
  uses: ItemUseRow[]
  /** Problems of its text in its file. */
  diagnostics: DiagnosticRow[]
  learned: LearnedDetail | null
  /** What the user may do with it; a text is the reason why not. */
  can: Record<"edit" | "supersede" | "pin" | "forget", true | string>
  /** On a team server, for administrators: it is on trial and can be confirmed. */
  mayConfirm?: true
}

/**
 * `GET /api/items/:id/names`: the files, commands and symbols it names that no longer exist, have moved or have changed a lot, in the
 * words of `drey why`. Requested separately, so that the rest need not wait for git.
 */
export type StaleNames = { names: StaleName[] }
export type StaleName = { state: "gone" | "moved" | "changed"; text: string; words: string }

export type Graph = ItemGraph

export type EvidenceRow = { kind: string; quote: string; at: string | null; from: string; trust: string }

/** One time it was handed to an agent, and what came of it. */
export type ItemUseRow = {
  taskId: string
  at: string
  agent: string | null
  client: string | null
  session: string | null
  rank: number | null
  reason: string | null
  outcome: "hit" | "miss" | "helped" | "wrong" | null
}

export type LearnedDetail = {
  kind: string
  tier: string
  confidence: number
  polarity: 1 | -1
  metrics: { name: string; value: string }[]
  /** What would promote it, and what would end it. */
  outlook: string[]
  history: { at: string; action: string; reason: string }[]
}

export type DiagnosticRow = { path: string; line: number; code: string; severity: Severity; message: string }

/** `POST /api/items/:id/edit` */
export type EditItemRequest = { version: string; title?: string; markdown?: string; tags?: string[] }
/** `POST /api/items/:id/supersede`: the new item takes the place of this one. */
export type SupersedeItemRequest = { version: string; title: string; markdown: string; reason?: string }
/** `POST /api/items/:id/pin` */
export type PinItemRequest = { version: string; pinned: boolean }
/** `POST /api/items/:id/forget` */
export type ForgetItemRequest = { version: string; reason?: string }

/** The response to every change. `id` is the item to show next; null if there is none. */
export type Changed = { id: string | null; summary: string; undo: UndoAnswer | null }
/**
 * `GET /api/undo`, null if there is nothing to undo, and `POST /api/undo` with the `key`: undoes it, unless something else has changed
 * since.
 */
export type UndoAnswer = { key: string; summary: string; at: string }

/** With status 409: the current content. */
export type Conflict = { error: string; current: Detail | ProposalDetail | null }
/** With every other status from 400 on. `code` is for programs: `signed-out` comes with 401 from a team's server alone. */
export type AppProblem = { error: string; code?: string }

/** `POST /api/login` with `{ token }`, which is the link's: what to send as `X-Drey-Key` from then on. */
export type LoginAnswer = { key: string }

/** `GET /api/inbox` */
export type Inbox = { proposals: ProposalDetail[]; nearDuplicates: NearDuplicateRow[]; broken: BrokenFileRow[] }

export type ProposalDetail = {
  /** Names it in the calls below. */
  key: string
  version: string
  row: Row
  markdown: string
  /** The proposer: an agent, a graduated memory, an import. */
  from: "agent" | "learned" | "import" | "person"
  path: string
  /** Active entries that are nearly the same, or that it would replace, with their text. */
  against: { row: Row; markdown: string; likeness: number; relation: "near-duplicate" | "supersedes" }[]
  /** What taking it would change, file by file, as lines of a unified diff. */
  diff: { path: string; lines: string[] }[]
  diagnostics: DiagnosticRow[]
}

/** Two active items that are nearly the same. */
export type NearDuplicateRow = { one: Row; other: Row; likeness: number }
export type BrokenFileRow = { path: string; problem: string; diagnostics: DiagnosticRow[] }

/** `POST /api/inbox/:key/accept`, with other words if `title` or `markdown` is given. */
export type AcceptProposalRequest = { version: string; title?: string; markdown?: string }
/** `POST /api/inbox/:key/merge`: its text is added to the item `into`, or replaces it. */
export type MergeProposalRequest = { version: string; into: string; how: "append" | "supersede" }
/** `POST /api/inbox/:key/refuse` */
export type RefuseProposalRequest = { version: string; reason: string }

/** `POST /api/context`: a preview, not counted as use. `project` is for a team server, which has many. */
export type ContextQuestion = { agent?: string; task: string; budget?: number; paths?: string[]; project?: string }
export type ContextAnswer = Pick<Context, "text" | "tokens" | "budget" | "taskId" | "included" | "left"> & {
  explanation: (Pick<Context["explanation"][number], "id" | "title" | "kept" | "reason" | "score" | "relevance"> & {
    lane: string | null
    tokens: number | null
    signals: { name: string; value: number }[]
  })[]
}

/** `GET /api/sessions` and `GET /api/sessions/:id` */
export type SessionRow = {
  id: string
  task: string
  status: string
  isActive: boolean
  startedAt: string
  endedAt: string | null
  agents: string[]
  counts: { discoveries: number; attempts: number; failed: number; decisions: number }
  problem: string | null
}
export type SessionDetail = {
  row: SessionRow
  metadata: SessionMetadata
  state: MachineState | null
  plan: Plan | null
  agents: { name: string; memory: AgentMemory }[]
  /** Which later attempt solved what a failed one tried, as far as the notes show: ids `agent/id`. */
  solvedBy: { failed: string; by: string }[]
  problems: string[]
}

/**
 * `GET /api/conversations?q=`: past conversations with coding agents, in the query language; best first for words, otherwise newest
 * first. `problem`: of the query.
 */
export type Conversations = { rows: ListedConversation[]; problem: string | null }
export type ListedConversation = Pick<Row, "id" | "title" | "at"> & {
  client: string
  snippet: string
  highlights: [start: number, end: number][]
}
/** `GET /api/conversations/:id`: the kept summary, which outlives the transcript. */
export type ConversationDetail = Pick<Row, "id" | "title" | "at"> & {
  /** The transcript and the line of it. */
  place: string
  /** Commits made in it. */
  commits: { id: string; title: string }[]
} & Omit<ConversationPayload, "kind" | "commits">
/** `GET /api/conversations/:id/replay`: its steps from the transcript; `missing`: why there are none, or not all. */
export type ConversationReplay = { steps: TranscriptStep[]; missing: string | null }
/** One step of a conversation as its transcript has it, without secrets and personal data. */
export type TranscriptStep = {
  by: "user" | "agent" | "tool"
  kind: string
  ts: string
  line: number
  text: string
  isError: boolean
  tool?: string
  command?: string
  files?: readonly string[]
}

/** `GET /api/agents` */
export type Agents = { agents: AgentRow[] }
export type AgentRow = {
  name: string
  role: string | null
  entries: number
  decisions: number
  historyBytes: number
  /** The tokens of every context of this agent before its task, and its average context. */
  baseTokens: number
  meanTokens: number | null
  tasks: number
  lastAt: number | null
}
/** `GET /api/agents/:name` */
export type AgentDetail = {
  row: AgentRow
  history: Row[]
  decisions: Row[]
  knows: { tag: string; count: number }[]
  handed: ItemUseRow[]
}

/** `GET /api/audit?action=&actor=&text=&limit=&offset=`: newest first. */
export type Audit = {
  whole: boolean
  lines: number
  problem: string | null
  records: {
    line: number
    at: string
    action: string
    id: string | null
    class: string | null
    title: string | null
    path: string | null
    reason: string | null
    actor: string | null
  }[]
  total: number
  /** Everything in the audit, whatever the filter. */
  actions: string[]
  actors: string[]
}

/**
 * `GET /api/health`: doctor's findings; `fix` is the command that repairs it, if there is one. `text` is the line of a diagnostic,
 * redacted.
 */
export type Health = {
  checks: (Check & { fix: string | null })[]
  /** The gravest first, as many as can be looked at; `further` are not among them. */
  diagnostics: (DiagnosticRow & { text: string | null })[]
  further: number
}

/** `GET /api/overview` */
export type Overview = {
  project: { name: string; root: string }
  helping: {
    /** Hits of memories: an error or a retry that did not come again. */
    hits: number
    misses: number
    regretSaved: number
    /** Error rate of tasks with memory and of those held out without it; null while there are too few. */
    withMemory: number | null
    withoutMemory: number | null
    /** Null where tasks are not compared. */
    tasks: number | null
  }
  learned: { onTrial: number; proven: number; ended: number }
  /** Null where there are no files, and so no entries, as on a team server. */
  entries: { total: number; inForce: number; superseded: number; decisionsPerWeek: number } | null
  /** What needs the user's attention, the most urgent first; `href` is its page in the app. */
  needs: {
    kind: "inbox" | "conflict" | "expired" | "stale" | "over budget" | "review" | "broken"
    count: number
    text: string
    href: string
  }[]
  /** Null where agents are not known by name. */
  cost: { agent: string; tokens: number }[] | null
  best: Row[]
  recent: Row[]
}

/** `GET /api/events` (server-sent): what has changed, so that open pages reload it. */
export type LiveEvent =
  | { kind: "items"; changed: { id: string; change: "added" | "changed" | "removed" }[] }
  | { kind: "sessions" }
  | { kind: "inbox" }
  | { kind: "uses" }
  /** From a team server: some of its memories changed, without details. */
  | { kind: "changed"; version: number }

/** `GET /api/about`: what the app needs once. A team server responds with 401 and `code: "signed-out"` without a sign-in. */
export type About = {
  version: string
  root: string
  project: string
  agents: string[]
  queryKeys: string[]
  user: string
  /** The pages that there are, by their addresses. */
  places: string[]
  /** The member signed in to a team server; null on a local machine. */
  team: { organisation: string; slug: string; member: string; role: "owner" | "admin" | "member" | "viewer" } | null
}
