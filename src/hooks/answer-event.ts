import { hasRuleWords } from "../formats/has-rule-words.ts"
import { openQuickDrey } from "../quick-drey.ts"
import type { Team } from "../quick-guards.ts"
import type { CompiledGuard } from "../recall/match-guards.ts"
import { trustByEvidence } from "../trust.ts"
import { contextFor } from "./context-for.ts"
import type { HookAnswer, HookEvent } from "./hook-event.ts"
import { isAside } from "./is-aside.ts"
import { syncInBackground } from "./sync-in-background.ts"
import { type HookLimits, sizeOfTeam } from "./team-size.ts"
import type { Told } from "./told.ts"

/** What an answer is made with. */
export type AnswerParts = {
  team: Team
  home: string
  environment: NodeJS.ProcessEnv
  program: string
  told: Told
  /** Whether the client takes words for the agent at this event. */
  hears: boolean
  /** What a hook reads by itself at most. */
  limits: HookLimits
  note: (trouble: unknown) => void
}

/** Answers all but tool calls. A prompt, which comes most often, gets its answer from an index that is up to date; the rest takes the long way. */
export async function answerEvent(event: HookEvent, parts: AnswerParts): Promise<HookAnswer | undefined> {
  if (event.kind === "end") {
    const { kind } = await trustByEvidence(parts.home, parts.team)
    if (kind !== "trusted") return undefined // nothing is learned there, and nothing looked after
    await goOn(event.of === "turn" ? ["ingest"] : ["flush"], parts)
    if (event.of === "session") await goOn(["reindex", "--names", "--background"], parts)
    await syncInBackground({ ...parts, root: parts.team.root })
    return undefined
  }
  if (event.kind === "prompt" && isAside(event.text)) return undefined
  const isQuestion = event.kind === "prompt" && !hasRuleWords(event.text)
  if (!parts.hears && (isQuestion || event.kind !== "prompt")) return undefined
  const size = sizeOfTeam(parts.team, parts.limits)
  if (isQuestion && size !== "crowded") {
    const { team, environment, note } = parts
    const drey = await openQuickDrey("context", { root: team.root, environment, warn: note, automatic: true })
    if (drey) return contextFor(drey, event, parts.told)
  }
  if (size === "small") return (await import("./answer-long-way.ts")).answerLongWay(event, parts, "current")
  return (await import("./answer-large.ts")).answerLarge(event, parts, size)
}

/** What speaks against a call, and the guards that say so. */
export async function warn(
  event: HookEvent & { kind: "before-tool" },
  guards: readonly CompiledGuard[],
  parts: AnswerParts,
): Promise<{ text: string; guards: CompiledGuard[] } | undefined> {
  const isSmall = sizeOfTeam(parts.team, parts.limits) === "small"
  return (await import("./answer-long-way.ts")).warnTheLongWay(event, guards, parts, isSmall ? "current" : "as it is")
}

/** An answer that came too late to be told: what it took so long to make ready is made ready in the background, for the next one. */
export async function catchUp(event: HookEvent, parts: AnswerParts): Promise<void> {
  parts.note("no answer in time")
  if (event.kind === "session-start" || event.kind === "prompt") await goOn(["hook", "--prepare"], parts)
}

/** Loaded when it is needed: what starts processes takes Node some time. */
async function goOn(args: readonly string[], parts: AnswerParts): Promise<void> {
  const { startInBackground } = await import("./start-in-background.ts")
  startInBackground(args, { ...parts, root: parts.team.root })
}
