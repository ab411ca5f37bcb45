import { builtInPolicy } from "../../../formats/policy.ts"
import type { ItemGraph } from "../../../recall/browse/draw-related.ts"
import { showLearned } from "../../../recall/browse/show-learned.ts"
import { findRanked } from "../../../recall/find-ranked.ts"
import type { MemoryHistory } from "../../../store/learned-store.ts"
import type { Memory } from "../../../store/memory.ts"
import { memoriesByIds } from "../../../store/memory-rows.ts"
import { readHistory } from "../../../store/read-history.ts"
import { one, type Steps } from "../../../store/steps.ts"
import { outlookOf } from "../../../upkeep/outlook-of.ts"
import type { Detail } from "../../../web/api.ts"
import type { Caller } from "../identity/caller.ts"
import { administers, earnedWords, hasEarned, mayChange, onlyContributor } from "../memories/change-memory.ts"
import { toHistory } from "../memories/to-history.ts"
import { fromEpisodes } from "../memories/to-team-memory.ts"
import type { MemoryLook } from "./look.ts"
import { readChain } from "./read-chain.ts"
import { teamRow } from "./team-row.ts"

/** A memory with all that a page shows of it; undefined when there is none of this id that the caller may see. */
export async function describeMemory(look: MemoryLook, caller: Caller, id: string): Promise<Detail | undefined> {
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
      .map(({ task, at, outcome }) => ({ ...nobody, taskId: task, at, outcome: outcome as Outcome })),
    diagnostics: [],
    learned: showLearned({ memory, outlook, audit: history.audit }),
    can: rightsOf(caller, memory, contributor),
    ...(administers(caller) && memory.status === "provisional" ? { mayConfirm: true } : {}),
  }
}

type Outcome = Detail["uses"][number]["outcome"]

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

/** What it replaced or was replaced by, and what is like it. */
async function drawRelated({ recall, read, now }: MemoryLook, memory: Memory, chain: Memory[]): Promise<ItemGraph> {
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
      ...alike.map(({ id }) => ({ from: memory.id, to: id, kind: "like" as const })),
    ],
  }
}

/** The caller's permissions; a text is the reason why not. */
function rightsOf(caller: Caller, memory: Memory, contributor: string | null): Detail["can"] {
  const may = whyNot(caller, memory.status, contributor) ?? true
  const isFixed = may === true && !administers(caller) && hasEarned(memory)
  return { edit: isFixed ? earnedWords : may, supersede: may, pin: may, forget: may }
}

function whyNot(caller: Caller, status: Memory["status"], contributor: string | null): string | undefined {
  if (caller.member.role === "viewer") return "Viewers have read-only access."
  if (!caller.scopes.includes("write")) return "You signed in with a read-only token."
  if (!mayChange(caller, contributor)) return onlyContributor
  return status === "deprecated" ? "It has ended." : undefined
}
