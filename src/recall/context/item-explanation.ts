import { matchIds, taskHashOf } from "../../formats/ids.ts"
import type { AttemptResult } from "../../formats/session/agent-memory.ts"
import { agentKey } from "../../formats/text.ts"
import type { StoredItem } from "../../index/index-store.ts"
import { type Eligibility, eligibilityOf } from "../eligibility.ts"
import { resultOf } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { findRanked, type Ranked } from "../search/ranking.ts"
import { type ContextRecord, readContexts } from "./context-log.ts"

/** Where an item comes from, whether it may be shown, and where it was used. */
export type ItemExplanation = {
  item: StoredItem
  /** Set when the requested id is a former id of the item. */
  formerId: string | undefined
  standing: Eligibility
  /** The result, if the item is an attempt of a session. */
  result: AttemptResult | undefined
  /** Contexts that included it, newest first. */
  uses: { taskId: string; at: string; agent: string | undefined; rank: number }[]
  /** Its rank for a task; undefined without a task. */
  forTask: { rank: number | undefined; of: number; ranked: Ranked | undefined } | undefined
}

/** Explains an item; undefined when no item has or had this id. */
export async function explainItem(
  parts: RecallParts,
  logPath: string,
  id: string,
  request: { task?: string | undefined; agent?: string | undefined } = {},
): Promise<ItemExplanation | undefined> {
  const [item] = await parts.index.items([id])
  if (!item) return undefined
  const agent = agentKey(request.agent)
  const names = new Set([id, item.id])
  return {
    item,
    formerId: matchIds(id, [item.id]).length > 0 ? undefined : id,
    standing: eligibilityOf(item, { agent, paths: [], now: parts.now().getTime() }),
    result: resultOf(item),
    uses: readContexts(logPath)
      .flatMap((record) => usesIn(record, names))
      .reverse(),
    forTask: request.task === undefined ? undefined : await rankFor(parts, item, request.task, agent),
  }
}

/** Session notes do not compete for a place in a context. */
const withoutNotes = { not: { sources: ["session" as const] } }

async function rankFor(
  parts: RecallParts,
  item: StoredItem,
  task: string,
  agent: string | undefined,
): Promise<ItemExplanation["forTask"]> {
  const mine = { agent: agent ?? item.agent, superseded: true, archived: true }
  const ranked = await findRanked(parts, task, item.source === "session" ? mine : { ...mine, ...withoutNotes })
  const at = ranked.findIndex(({ candidate }) => candidate.row === item.row)
  return { rank: at === -1 ? undefined : at + 1, of: ranked.length, ranked: ranked[at] }
}

function usesIn(record: ContextRecord, names: ReadonlySet<string>): ItemExplanation["uses"] {
  const used = record.items.find(({ id }) => names.has(id))
  return used ? [{ taskId: record.taskId, at: record.at, agent: record.agent, rank: used.rank }] : []
}

/** The contexts for a task, given by its id or text, or for a client's session; newest first. */
export function contextsFor(logPath: string, task: string): ContextRecord[] {
  const hash = taskHashOf(task)
  return readContexts(logPath)
    .filter(({ taskId, taskHash, session }) => [taskId, session].includes(task.trim()) || taskHash === hash)
    .reverse()
}
