import type { HookAnswer, HookEvent } from "../clients/hook-event.ts"
import { openQuickDrey } from "../quick-drey.ts"
import { statesOwnRule } from "../quick-rules.ts"
import type { AnswerParts } from "./fast-answer.ts"
import { answerFully } from "./full-answer.ts"
import { buildHookContext } from "./hook-context.ts"
import { prepareInBackground } from "./prepared-answers.ts"
import { isCompacted } from "./seen-items.ts"
import type { TeamSize } from "./team-size.ts"

/**
 * Answers where the team folder is too large for a hook to read. Another process builds the index; the first hook that
 * needs it waits briefly, and all hooks answer from the index as it is then, which may be older than the files.
 */
export async function answerForLargeTeam(
  event: HookEvent,
  parts: AnswerParts,
  size: Exclude<TeamSize, "small">,
): Promise<HookAnswer | undefined> {
  const { team, environment, note } = parts
  const quick = (asIs: boolean) =>
    openQuickDrey("context", { root: team.root, environment, warn: () => {}, asIs, automatic: true })
  const isCurrent = size === "large" && (await quick(false)) !== undefined
  const isBehind = size === "large" ? !isCurrent : (await quick(true)) === undefined
  const waitMs = event.kind !== "after-failure" ? parts.limits.waitMs : 0
  const place = { ...parts, root: team.root }
  const isReady = await prepareInBackground(place, isBehind ? "behind" : "unknown", waitMs)
  const drey = await quick(true)
  if (!isCurrent && !isReady)
    note(
      `the team folder is large: ${drey ? "answered from an index that may be out of date" : "its index is still being built"}`,
    )
  if (event.kind === "prompt" && !statesOwnRule(event.text) && !isCompacted(parts.told))
    return drey && buildHookContext(drey, event, parts)
  return answerFully(event, parts, drey ? "as it is" : "missing")
}
