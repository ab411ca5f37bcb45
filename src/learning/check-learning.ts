import { DreyError } from "../errors.ts"
import type { Check } from "../squad/doctor/check.ts"
import type { Learning } from "./open-learning.ts"

/** Examines learned memory: whether it can be read, and what waits for somebody. */
export async function checkLearning(learning: Learning): Promise<Check[]> {
  const name = "learned memory"
  try {
    const { counts, review, pause, writerProblem } = await learning.status()
    const { active, provisional } = counts.memories
    const known = `${active} memories proven, ${provisional} on trial.`
    const problems = [
      ...(counts.episodes.parked > 0
        ? [
            `${counts.episodes.parked} episodes were given up because the writer failed; "drey ingest --retry" tries again.`,
          ]
        : []),
      ...(writerProblem === undefined ? [] : [`There is no writer: ${writerProblem.replace(/\.$/, "")}.`]),
      ...(pause ? ['Learning is paused; "drey resume" ends that.'] : []),
    ]
    const look = review.length > 0 ? [`${review.length} to look at: "drey status --review".`] : []
    return [{ name, status: problems.length > 0 ? "warn" : "pass", message: [known, ...problems, ...look].join(" ") }]
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return [{ name, status: "fail", message: [error.message, error.hint].filter(Boolean).join(" ") }]
  }
}
