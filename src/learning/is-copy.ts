import type { Memory } from "../store/memory.ts"
import type { LearningParts } from "./learning-parts.ts"

/** Whether a memory is the copy of one that a team's server keeps, and is judged and changed there alone. On the server itself none is. */
export function isCopy(
  { ownerType = "user" }: Pick<LearningParts, "ownerType">,
  { owner, contributedBy }: Pick<Memory, "owner" | "contributedBy">,
): boolean {
  return ownerType === "user" && owner.type !== "user" && contributedBy !== undefined
}

/** Why nothing can be done to it here. */
export const whyCopy = "it is the team's: whoever shared it can take it back, and the team's app can change it"
