import type { Memory } from "../store/memory.ts"
import type { LearningParts } from "./learning-parts.ts"

/**
 * Whether a memory is a copy of a team memory, which only the server evaluates and changes. Never true on the server
 * itself.
 */
export function isCopy(
  { ownerType = "user" }: Pick<LearningParts, "ownerType">,
  { owner, contributedBy }: Pick<Memory, "owner" | "contributedBy">,
): boolean {
  return ownerType === "user" && owner.type !== "user" && contributedBy !== undefined
}

/** Why it cannot be changed here. */
export const whyCopy = "it is a team memory: the member who shared it can unshare it, and the team's app can change it"
