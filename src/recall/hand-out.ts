import { sha256 } from "../disk/sha256.ts"
import { agentKey } from "../formats/agent-key.ts"
import { taskHashOf } from "../formats/task-hash.ts"
import type { BuiltContext } from "./build-context.ts"
import type { Occasion } from "./context-log.ts"
import type { Form } from "./fit.ts"
import { loggedAgent } from "./logged-agent.ts"
import type { RecallParts } from "./recall-parts.ts"

/** The caller, as far as it is known. */
export type Asking = {
  agent?: string | undefined
  /** The coding agent and its session, for the record. */
  client?: string | undefined
  session?: string | undefined
}

/**
 * Context given without a task, with its log record and its use for the ledger. `listed` are items shown as one line.
 */
export type HandOut = { text: string; taskId: string; included: string[]; listed: string[] } & Pick<
  BuiltContext,
  "record" | "learned"
>

/** The id used by the wrapper and the records. */
export function handOutId(parts: RecallParts, occasion: Occasion, { agent, session }: Asking, about = ""): string {
  const said = [occasion, agentKey(agent) ?? "", session ?? "", about, parts.now().toISOString()]
  return `t-${sha256(said.join("\n")).slice(0, 12)}`
}

export type HandedItem = { id: string; isLearned: boolean; tokens: number; reason: string; form?: Form }

/**
 * Everything given to a session without a task counts as one task in the ledger, so that a memory shown three times was
 * used once.
 */
export function handOut(
  parts: RecallParts,
  { occasion, asking, taskId, text }: { occasion: Occasion; asking: Asking; taskId: string; text: string },
  { items, budget, left }: { items: readonly HandedItem[]; budget: number; left: number },
): HandOut {
  const ranked = items.map(({ id, tokens, reason }, at) => ({ id, rank: at + 1, tokens, reason }))
  const learned = items.flatMap(({ id, isLearned }, at) =>
    isLearned ? [{ id, injected: true, rank: at + 1, score: 0 }] : [],
  )
  return {
    text,
    taskId,
    included: items.filter(({ form }) => form !== "line").map(({ id }) => id),
    listed: items.filter(({ form }) => form === "line").map(({ id }) => id),
    record: {
      taskId,
      taskHash: taskHashOf(""),
      at: parts.now().toISOString(),
      agent: loggedAgent(asking.agent),
      client: asking.client,
      session: asking.session,
      occasion,
      budget,
      tokens: parts.countTokens(text),
      items: ranked,
      left,
    },
    learned,
  }
}
