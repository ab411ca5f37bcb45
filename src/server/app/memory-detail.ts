import { builtInPolicy } from "../../formats/policy.ts"
import type { MemoryHistory } from "../../memories/learned-store.ts"
import type { Memory } from "../../memories/memory.ts"
import { memoriesByIds } from "../../memories/memory-rows.ts"
import { outlookOf } from "../../memories/review/outlook.ts"
import { all, one, type Steps } from "../../memories/steps.ts"
import { readHistory } from "../../memories/uses.ts"
import type { Detail } from "../../recall/browse/app-api.ts"
import { type ItemGraph, showLearned } from "../../recall/browse/item-detail.ts"
import { findRanked } from "../../recall/search/ranking.ts"
import type { TeamCaller } from "../identity/caller.ts"
import { administers, earnedWords, hasEarned, mayChange, onlyContributor } from "../memories/memory-changes.ts"
import { fromEpisodes, toHistory } from "../memories/team-memories.ts"
import { teamRow } from "./memory-list.ts"
import type { MemorySnapshot } from "./snapshot.ts"

/** A memory with everything that its page shows; undefined if none of this id is visible to the caller. */
export async function describeMemory(
  look: MemorySnapshot,
  caller: TeamCaller,
  id: string,
): Promise<Detail | undefined> {
  const found = await look.read(readMemory(id))
  if (!found) return undefined
  const { memory, history, contributor, team, older, newer } = found
  const rowOf = (each: Memory) => teamRow(each, look.now)
  const { evidence, uses } = toHistory(history)
  const outlook = outlookOf(memory, builtInPolicy, look.now.toISOString())
  return {
    row: rowOf(memory),
    version: String(memory.version),
    formerId: null,
    markdown: memory.text,
    fields: fieldsOf(memory, team),
    older: older.map(rowOf),
    newer: newer.map(rowOf),
    related: await drawRelated(look, memory, [...older, memory, ...newer]),
    evidence: evidence.map(({ source, quote, at }) => ({
      kind: source.replaceAll("_", " "),
      quote,
      at,
      from: "", // whose transcript it was is private
      trust: memory.origin,
    })),
    uses: uses
      .filter(({ injected }) => injected)
      .reverse()
      .map(({ task, at, outcome }) => ({ ...nobody, taskId: task, at, outcome: outcome as UseOutcome })),
    diagnostics: [],
    learned: showLearned({ memory, outlook, audit: history.audit }),
    can: rightsOf(caller, memory, contributor),
    ...(administers(caller) && memory.status === "provisional" ? { mayConfirm: true } : {}),
  }
}

type UseOutcome = Detail["uses"][number]["outcome"]

const nobody = { agent: null, client: null, session: null, rank: null, reason: null }

type Found = {
  memory: Memory
  history: MemoryHistory
  /** Null when the server learned it itself. */
  contributor: string | null
  /** The name of the team whose it is; null when it is the organisation's. */
  team: string | null
  older: Memory[]
  newer: Memory[]
}

function* readMemory(id: string): Steps<Found | undefined> {
  const [memory] = yield* memoriesByIds([id])
  if (!memory) return undefined
  const shared = yield* one<{ contributor: string | null; team: string | null }>(
    `SELECT contributor_id AS contributor, (SELECT name FROM teams WHERE owner_type = 'team' AND team_id = owner_id) AS team
     FROM memories WHERE memory_id = ?`,
    id,
  )
  const { contributor = null, team = null } = shared ?? {}
  return { memory, history: yield* readHistory(id), contributor, team, ...(yield* readChain(memory)) }
}

function fieldsOf({ contributedBy, project, pathPrefix, key, expires }: Memory, team: string | null): Detail["fields"] {
  const fields = {
    "Shared by": `${contributedBy ?? fromEpisodes}, ${team === null ? "with the whole organisation" : `team ${team}`}`,
    Project: project ?? "every project",
    "Applies to": pathPrefix,
    Key: key,
    "Review due": expires?.slice(0, 10),
  }
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : { name, value }))
}

const mostAlike = 6

/** Memories that it replaced or was replaced by, and similar ones. */
async function drawRelated({ recall, read, now }: MemorySnapshot, memory: Memory, chain: Memory[]): Promise<ItemGraph> {
  const ranked = await findRanked(recall, memory.text, { agent: "*" })
  const ids = ranked.filter(({ candidate, qualifies }) => qualifies && !chain.some(({ id }) => id === candidate.id))
  const alike = await read(memoriesByIds(ids.slice(0, mostAlike).map(({ candidate }) => candidate.id)))
  return {
    nodes: [...chain, ...alike].map((each) => {
      const { id, title, type, status, source } = teamRow(each, now)
      return { id, title, type, status, source }
    }),
    edges: [
      ...chain.slice(1).map(({ id }, at) => ({ from: id, to: chain[at]?.id ?? id, kind: "supersedes" as const })),
      ...alike.map(({ id }) => ({ from: memory.id, to: id, kind: "similar" as const })),
    ],
  }
}

/** The caller's permissions; a text is the reason why not. */
function rightsOf(caller: TeamCaller, memory: Memory, contributor: string | null): Detail["can"] {
  const may = whyNot(caller, memory.status, contributor) ?? true
  const isFixed = may === true && !administers(caller) && hasEarned(memory)
  return { edit: isFixed ? earnedWords : may, supersede: may, pin: may, forget: may }
}

function whyNot(caller: TeamCaller, status: Memory["status"], contributor: string | null): string | undefined {
  if (caller.member.role === "viewer") return "Viewers have read-only access."
  if (!caller.scopes.includes("write")) return "You signed in with a read-only token."
  if (!mayChange(caller, contributor)) return onlyContributor
  return status === "deprecated" ? "It has ended." : undefined
}

const mostSteps = 20

/** Its predecessors, oldest first, and its successors, newest last; the history of each names its neighbours. */
function* readChain(memory: Memory): Steps<{ older: Memory[]; newer: Memory[] }> {
  const older = yield* walk(memory, olderIdOf)
  const newer = yield* walk(memory, newerIdOf)
  return { older: older.reverse(), newer }
}

function* walk(start: Memory, next: (memory: Memory) => Steps<string | undefined>): Steps<Memory[]> {
  const found: Memory[] = []
  const seen = new Set([start.id])
  let at: Memory | undefined = start
  while (at && found.length < mostSteps) {
    const id: string | undefined = yield* next(at)
    if (id === undefined || seen.has(id)) break
    seen.add(id)
    const [memory]: Memory[] = yield* memoriesByIds([id])
    if (memory) found.push(memory)
    at = memory
  }
  return found
}

function olderIdOf({ id }: Memory): Steps<string | undefined> {
  return namedIn(id, ["replaces"])
}

/** An undone change is recorded as well: a memory that is active was not replaced. */
function* newerIdOf({ id, status }: Memory): Steps<string | undefined> {
  return status === "deprecated" ? yield* namedIn(id, ["reworded", "overruled"]) : undefined
}

/** The memory that the last such note is about. */
function* namedIn(id: string, actions: string[]): Steps<string | undefined> {
  const notes = yield* all<{ reason: string }>(
    `SELECT reason FROM memory_audit WHERE memory_id = ? AND action IN (SELECT value FROM json_each(?)) ORDER BY audit_id DESC LIMIT 1`,
    id,
    JSON.stringify(actions),
  )
  return /\bm-[0-9a-f]{16}\b/.exec(notes[0]?.reason ?? "")?.[0]
}
