import type { SessionMetadata } from "../formats/session/sibling-files.ts"
import { eachAgent } from "./agent-files.ts"
import { attemptEdits } from "./change-attempt.ts"
import { changeMemory } from "./change-memory.ts"
import { clearContent } from "./clear-values.ts"
import { followUp } from "./follow-up.ts"
import { rebuildMetadata } from "./keep-metadata.ts"
import { changeState, isEnd } from "./keep-state.ts"
import { closingOf } from "./record-attempt.ts"
import { requireOneOf } from "./require-input.ts"
import type { SessionParts } from "./session-parts.ts"

export type SessionEnd = { status?: "complete" | "failed" | "cancelled"; summary?: string }

/**
 * Closes open attempts as partial and notes how the session went. Of a session that has ended already the first end counts, unless a
 * status is given.
 */
export function endSession(parts: SessionParts, { status: given, summary }: SessionEnd): SessionMetadata {
  requireOneOf("status", given, ["complete", "failed", "cancelled"])
  const { files, now } = parts
  const old = files.readValid("metadata", files.pathOf("metadata"))?.data
  const first = old && isEnd(old.status) ? old.status : undefined
  const status = given ?? first ?? "complete"
  if (first !== undefined)
    parts.warn(`This session had already ended as ${first}${status === first ? "" : `; now it counts as ${status}`}`)
  eachAgent(files, (file) =>
    changeMemory(parts, file, ({ attempts }) =>
      attempts.flatMap((attempt, index) =>
        attempt.result === "in_progress"
          ? attemptEdits(parts, file.agent, attempt, index, closingOf(attempt, now()))
          : [],
      ),
    ),
  )
  followUp(parts, () => changeState(parts, () => ({ state: status })))
  return rebuildMetadata(parts, {
    status,
    endedAt: old?.endedAt ?? now().toISOString(),
    ...(summary === undefined ? {} : { resultSummary: clearContent(summary) }),
  })
}
