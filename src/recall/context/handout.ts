import { sha256 } from "../../disk/hash.ts"
import { handleOf, taskHashOf } from "../../formats/ids.ts"
import { agentKey, quote } from "../../formats/text.ts"
import type { Memory } from "../../memories/memory.ts"
import type { RecallParts } from "../recall-parts.ts"
import { boundTokens } from "../token-count.ts"
import type { BuiltContext } from "./context-builder.ts"
import { type ContextOccasion, loggedAgent } from "./context-log.ts"
import { renderContext, type Shown } from "./context-text.ts"
import type { Form } from "./selection.ts"

/** The caller, as far as it is known. */
export type HandoutRequest = {
  agent?: string | undefined
  /** The coding agent and its session, for the record. */
  client?: string | undefined
  session?: string | undefined
}

/**
 * Context given without a task, with its log record and its use for the ledger. `listed` are items shown as one line.
 */
export type Handout = { text: string; taskId: string; included: string[]; listed: string[] } & Pick<
  BuiltContext,
  "record" | "learned"
>

/** The id used by the wrapper and the records. */
export function handOutId(
  parts: RecallParts,
  occasion: ContextOccasion,
  { agent, session }: HandoutRequest,
  about = "",
): string {
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
  {
    occasion,
    asking,
    taskId,
    text,
  }: { occasion: ContextOccasion; asking: HandoutRequest; taskId: string; text: string },
  { items, budget, left }: { items: readonly HandedItem[]; budget: number; left: number },
): Handout {
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

/** A memory chosen by the caller. */
export type GivenMemory = Pick<Memory, "id" | "kind" | "tier" | "key" | "text">

export type ComposeRequest = { task: string; memories: readonly GivenMemory[]; budget: number }

export type ComposedContext = { text: string; used: string[] }

/** Renders memories chosen by the caller as a context: warnings first, whole ones only, within the budget. */
export function composeContext({ task, memories, budget }: ComposeRequest): ComposedContext {
  const taskId = `t-${sha256(task).slice(0, 12)}`
  const isWarning = ({ kind, tier }: GivenMemory) => kind === "guard" || tier === "emergency"
  const ordered = [...memories.filter(isWarning), ...memories.filter((memory) => !isWarning(memory))]
  const shown: Shown[] = []
  const used: string[] = []
  let text = ""
  for (const memory of ordered) {
    const lane = isWarning(memory) ? "warnings" : "learned"
    const next: Shown = { lane, form: "whole", block: render(memory, lane) }
    const longer = renderContext(taskId, [...shown, next])
    if (boundTokens(longer) > budget) continue // a shorter one may still fit
    shown.push(next)
    used.push(memory.id)
    text = longer
  }
  return { text, used }
}

function render({ id, kind, text }: GivenMemory, lane: Shown["lane"]): string {
  return `${lane === "warnings" ? "WARNING: " : ""}[${handleOf(id)}] ${kind}\n${quote(text)}`
}
