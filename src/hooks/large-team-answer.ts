import type { HookAnswer, HookEvent } from "../clients/hook-event.ts"
import { type AnswerParts, openFor } from "./fast-answer.ts"
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
  const { team, note } = parts
  const quiet = { ...parts, note: () => {} }
  const isReady = (asIs: boolean) => openFor(quiet, { asIs }).context.isReady()
  const isCurrent = size === "large" && (await isReady(false))
  const isBehind = size === "large" ? !isCurrent : !(await isReady(true))
  const waitMs = event.kind !== "after-failure" ? parts.limits.waitMs : 0
  const place = { ...parts, root: team.root }
  const isPrepared = await prepareInBackground(place, isBehind ? "behind" : "unknown", waitMs)
  const drey = openFor(quiet, { asIs: true })
  const hasIndex = await drey.context.isReady()
  if (!isCurrent && !isPrepared)
    note(
      `the team folder is large: ${hasIndex ? "answered from an index that may be out of date" : "its index is still being built"}`,
    )
  if (event.kind === "prompt" && !isCompacted(parts.told) && !(await drey.team.statesRule(event.text)))
    return hasIndex ? buildHookContext(drey, event, parts) : undefined
  return answerFully(event, parts, hasIndex ? "as it is" : "missing")
}
