import type { ToolCall } from "../../formats/client-events.ts"
import { bareWords, quote, quoteInline } from "../../formats/text.ts"
import { partEnd, renderItem, wrapParts } from "../context/context-text.ts"
import { type HandedItem, type Handout, type HandoutRequest, handOut, handOutId } from "../context/handout.ts"
import { eligibilityOf } from "../eligibility.ts"
import type { RecallParts } from "../recall-parts.ts"
import { type CompiledGuard, matchGuards } from "./guard-match.ts"

const opening =
  "Records of this repository (lines marked with >) advise against this call. Check them first; continue if the call is still right."
const mostWarnings = 3

/**
 * Warnings for a tool call. The compiled file may be stale, so each source is checked again. Undefined if none is left;
 * `guards` are those that are shown.
 */
export async function warnAboutToolCall(
  parts: RecallParts,
  guards: readonly CompiledGuard[],
  call: ToolCall,
  asking: HandoutRequest,
): Promise<(Handout & { guards: CompiledGuard[] }) | undefined> {
  const speaking = withoutRepeated(await stillActive(parts, matchGuards(guards, call)))
  if (speaking.length === 0) return undefined
  const shown = speaking.slice(0, mostWarnings)
  const taskId = handOutId(parts, "tool call", asking, shown.map(({ guard }) => guard.id).join(" "))
  const text = wrapParts(
    taskId,
    opening,
    shown.map(({ block }) => block),
  ).join(partEnd)
  const items = shown.map(({ guard, block }): HandedItem => {
    const tokens = parts.countTokens(block)
    return { id: guard.id, isLearned: guard.source === "learned", tokens, reason: "advises against a tool call" }
  })
  const budget = parts.countTokens(text)
  const said = { occasion: "tool call", asking, taskId, text } as const
  const handed = handOut(parts, said, { items, budget, left: speaking.length - shown.length })
  return { ...handed, guards: shown.map(({ guard }) => guard) }
}

type Speaking = { guard: CompiledGuard; block: string }

async function stillActive(
  { index, now, learned }: RecallParts,
  guards: readonly CompiledGuard[],
): Promise<Speaking[]> {
  const time = now().getTime()
  const minConfidence = learned?.settings.min_confidence
  const items = new Map((await index.items(guards.map(({ id }) => id))).map((item) => [item.id, item]))
  return guards.flatMap((guard) => {
    const { id, source, text } = guard
    if (source === "session")
      return [{ guard, block: `WARNING: a failed attempt in this session\n> ${quoteInline(id)}\n${quote(text)}` }]
    const item = items.get(id)
    if (!item) return []
    const paths = item.pathPrefix === undefined ? [] : [item.pathPrefix]
    if (eligibilityOf(item, { agent: undefined, paths, now: time, minConfidence }).kind === "left") return []
    return [{ guard, block: renderItem({ ...item, title: text, text }, "warnings", time) }]
  })
}

/** The same sentence may be in an entry and in a memory learned from it. */
function withoutRepeated(speaking: readonly Speaking[]): Speaking[] {
  const said = new Set<string>()
  return speaking.filter(({ guard }) => {
    const words = bareWords(guard.text)
    return !said.has(words) && said.add(words)
  })
}
