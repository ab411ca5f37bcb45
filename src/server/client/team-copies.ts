import { parseMemoryKey } from "../../formats/ids.ts"
import { parsePathPrefix } from "../../formats/text.ts"
import { insertMemory, type MemoryInsert, rowOf } from "../../memories/memory-rows.ts"
import { ensureProject } from "../../memories/projects.ts"
import {
  type ClearedWords,
  clearMemoryText,
  clearName,
  clearNote,
  clearTrigger,
  textHashOf,
} from "../../memories/proposal.ts"
import { isKeyed } from "../../memories/proposal-verdict.ts"
import { all, one, run, type Steps } from "../../memories/steps.ts"
import type { TeamMemory } from "../api.ts"
import type { ChangePage, TeamCounts } from "./team-ledger.ts"

/**
 * The result of one page of changes. `withheld`: ids that cannot be stored here, with the reason and never the text.
 */
export type CopiedPage = { added: string[]; changed: string[]; removed: string[]; withheld: Withheld[] }
type Withheld = { id: string; reason: string }

/** The server is authoritative: newer versions replace copies here, and memories that ended there are removed here. */
export function* savePage({ memories, removed, next, projects }: ChangePage): Steps<CopiedPage> {
  const taken: CopiedPage = { added: [], changed: [], removed: [], withheld: [] }
  for (const id of removed) if (yield* dropCopy(id)) taken.removed.push(id)
  for (const memory of memories) {
    const outcome = yield* saveCopy(memory)
    if (typeof outcome === "object") taken.withheld.push(outcome)
    else if (outcome !== "known") taken[outcome].push(memory.id)
  }
  yield* writeCursors(projects, next)
  return taken
}

/** Stores one team memory, unless the copy here is as new. */
export function* saveCopy(memory: TeamMemory): Steps<"added" | "changed" | "removed" | "known" | Withheld> {
  const { id, version, status } = memory
  const here = yield* one<{ version: number | null }>(
    "SELECT team_copies.version FROM memories LEFT JOIN team_copies USING (memory_id) WHERE memory_id = ?",
    id,
  )
  if (here && (here.version === null || here.version >= version)) return "known" // the user's own memory is never replaced
  if (status === "deprecated") return (yield* dropCopy(id)) ? "removed" : "known"
  const copy = toCopy(memory)
  if (typeof copy === "string") {
    yield* dropCopy(id) // the previous text is no longer current
    return { id, reason: copy }
  }
  const project = copy.project === undefined ? undefined : yield* ensureProject(copy.project)
  const placed = { ...copy, project }
  const kept = (yield* freeKey(placed)) ? placed : { ...placed, key: undefined }
  if (here) yield* rewrite(kept)
  else yield* insertMemory(kept)
  yield* run(
    "INSERT INTO team_copies (memory_id, version) VALUES (?, ?) ON CONFLICT (memory_id) DO UPDATE SET version = excluded.version",
    id,
    version,
  )
  return here ? "changed" : "added"
}

/** The memory as stored here, or why it cannot be: it comes from outside, so it must pass the governance check. */
function toCopy(memory: TeamMemory): MemoryInsert | string {
  if (!/^m-[0-9a-f]{16}$/.test(memory.id)) return "its id is not a Drey id"
  const words = clearWords(memory)
  if (typeof words === "string") return words
  if ((memory.scope === "global") !== (memory.project === null)) return "its scope and project do not match"
  if ((memory.scope === "repo_path") !== (words.pathPrefix !== undefined)) return "its scope and path do not match"
  return {
    ...words,
    id: memory.id,
    project: memory.project ?? undefined,
    scope: memory.scope,
    owner: memory.owner,
    kind: memory.kind,
    tier: memory.tier,
    polarity: memory.kind === "guard" ? -1 : memory.polarity,
    textHash: textHashOf(words.text),
    status: memory.status,
    confidence: memory.confidence,
    expires: memory.expires === null ? undefined : new Date(memory.expires).toISOString(),
    pinned: memory.pinned,
    flags: memory.flags.map(clearNote),
    trigger: clearTrigger(memory.trigger),
    origin: memory.origin,
    trust: memory.trust,
    derivedFrom: undefined,
    contributedBy: clearNote(memory.contributedBy),
    sourceMemory: memory.sourceMemory ?? undefined,
    created: new Date(memory.created).toISOString(),
    updated: new Date(memory.updated).toISOString(),
    vector: undefined, // the next commit adds it, if there is an embedder
  }
}

function clearWords({ text, key, pathPrefix }: TeamMemory): ClearedWords | string {
  const cleared = clearMemoryText(text)
  if (cleared.kind === "refused") return `it contains a secret: ${cleared.reason}`
  if (cleared.text === "") return "its text is empty"
  const names = {
    key: clearName(parseMemoryKey(key ?? "")),
    pathPrefix: clearName(parsePathPrefix(pathPrefix ?? "")),
  }
  const isWhole =
    (names.key === undefined) === (key === null) && (names.pathPrefix === undefined) === (pathPrefix === null)
  return isWhole ? { text: cleared.text, ...names } : "its key or path is invalid"
}

/**
 * A key has at most one active fact. Another copy with this key has ended on the server, which reports it later; a
 * memory learned here for the team keeps its key. Returns whether the key is free.
 */
function* freeKey({ id, key, kind, project, owner, pathPrefix }: MemoryInsert): Steps<boolean> {
  if (key === undefined || !isKeyed(kind)) return true
  const others = yield* all<{ id: string }>(
    `SELECT memory_id AS id FROM memories WHERE memory_id <> :id AND key = :key AND kind IN ('invariant', 'preference')
       AND status <> 'deprecated' AND owner_type = :type AND owner_id = :owner AND project_id IS NOT DISTINCT FROM :project
       AND path_prefix IS NOT DISTINCT FROM :prefix`,
    { id, key, type: owner.type, owner: owner.id, project: project ?? null, prefix: pathPrefix ?? null },
  )
  let isFree = true
  for (const other of others) isFree = (yield* dropCopy(other.id)) && isFree
  return isFree
}

/** Updates the row in place, so that its recorded uses are kept. */
function* rewrite(memory: MemoryInsert): Steps<void> {
  const { memory_id, derived_from: _, created_at: __, ...changed } = rowOf(memory)
  const settings = Object.keys(changed).map((name) => `${name} = :${name}`)
  yield* run(`UPDATE memories SET ${settings.join(", ")}, version = version + 1 WHERE memory_id = :memory_id`, {
    ...changed,
    memory_id,
  })
}

/** Returns whether there was one. Deletes copies only: the server cannot remove the user's own memories. */
export function* dropCopy(id: string): Steps<boolean> {
  const dropped = yield* run(
    "DELETE FROM memories WHERE memory_id = ? AND memory_id IN (SELECT memory_id FROM team_copies)",
    id,
  )
  return dropped > 0
}

/** All copies, and the sync cursors. */
export function* dropCopies(): Steps<number> {
  yield* run("DELETE FROM team_cursors")
  return yield* run("DELETE FROM memories WHERE memory_id IN (SELECT memory_id FROM team_copies)")
}

export function* copyOf(memory: string): Steps<string | undefined> {
  const row = yield* one<{ id: string }>(
    `SELECT memory_id AS id FROM memories JOIN team_copies USING (memory_id)
     WHERE memory_id = :memory OR source_memory_id = :memory ORDER BY memory_id = :memory DESC, memory_id LIMIT 1`,
    { memory },
  )
  return row?.id
}

export function* countCopies(): Steps<TeamCounts["copies"]> {
  return yield* all<TeamCounts["copies"][number]>(
    `SELECT memories.project_id AS project, CASE WHEN root <> '' THEN root END AS root, count(*) AS memories
     FROM team_copies JOIN memories USING (memory_id) LEFT JOIN projects ON projects.project_id = memories.project_id
     GROUP BY memories.project_id, root ORDER BY root, memories.project_id`,
  )
}

export function* readCursors(): Steps<Map<string, number>> {
  const rows = yield* all<{ project: string; cursor: number }>(
    "SELECT project_id AS project, changes_until AS cursor FROM team_cursors",
  )
  return new Map(rows.map(({ project, cursor }) => [project, cursor]))
}

export function* writeCursors(projects: readonly string[], cursor: number): Steps<void> {
  for (const project of projects)
    yield* run(
      `INSERT INTO team_cursors (project_id, changes_until) VALUES (?, ?)
       ON CONFLICT (project_id) DO UPDATE SET changes_until = excluded.changes_until`,
      project,
      cursor,
    )
}
