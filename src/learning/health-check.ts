import { DreyError } from "../errors.ts"
import type { Check } from "../formats/check.ts"

import type { Learning } from "./learning.ts"

/** Checks that learned memory can be read, and lists what needs attention. */
export async function checkLearning(learning: Learning): Promise<Check[]> {
  const name = "learned memory"
  try {
    const { counts, review, pause, writerProblem } = await learning.status()
    const { active, provisional } = counts.memories
    const known = `${active} memories proven, ${provisional} on trial.`
    const problems = [
      ...(counts.episodes.parked > 0
        ? [`${counts.episodes.parked} episodes are parked because the writer failed; retry with "drey ingest --retry".`]
        : []),
      ...(writerProblem === undefined ? [] : [`The writer cannot be used: ${writerProblem.replace(/\.$/, "")}.`]),
      ...(pause ? ['Learning is paused; resume it with "drey resume".'] : []),
    ]
    const look = review.length > 0 ? [`${review.length} to review: "drey status --review".`] : []
    return [{ name, status: problems.length > 0 ? "warn" : "pass", message: [known, ...problems, ...look].join(" ") }]
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return [{ name, status: "fail", message: [error.message, error.hint].filter(Boolean).join(" ") }]
  }
}
