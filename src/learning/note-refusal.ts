import { clearNote } from "../store/clear-words.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** Flags a memory that the team declined, or removes the flag; retries if the memory changed meanwhile. */
export async function noteRefusal(
  { store, now }: LearningParts,
  project: Project,
  id: string,
  reason: string | undefined,
): Promise<void> {
  for (;;) {
    const memory = (await store.find(id)).find((each) => each.id === id)
    const isNoted = memory?.flags.includes("refused") === true
    if (!memory || memory.status === "deprecated" || isNoted === (reason !== undefined)) return
    const { version, status, tier, expires } = memory
    const flags = isNoted ? memory.flags.filter((flag) => flag !== "refused") : [...memory.flags, "refused"]
    const said = reason === undefined ? "the team accepted it after all" : `the team declined it: ${clearNote(reason)}`
    const decision = { memory: id, version, result: "flag" as const, status, tier, expires, flags, reason: said }
    const applied = await store.applyDecisions(project.id, [decision], now().toISOString(), { isEvaluation: false })
    if (applied.length > 0) return
  }
}
