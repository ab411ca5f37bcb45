import { sha256 } from "../disk/sha256.ts"
import { handleOf } from "../formats/memory-handle.ts"
import { quote } from "../formats/quote.ts"
import type { Memory } from "../store/memory.ts"
import { boundTokens } from "./count-tokens.ts"
import { renderContext, type Shown } from "./render-context.ts"

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
