import type { TeamMemory } from "../api.ts"
import type { Login } from "./login-file.ts"

/** With whom it was shared, beside who did: `Kim (team Payments)`. So it is shown wherever the copy is, also offline. */
export function attributed(
  memory: TeamMemory,
  { teams, organisation }: Pick<Login, "teams" | "organisation">,
): TeamMemory {
  const { owner, contributedBy } = memory
  const circle = owner.type === "team" ? `team ${teams[owner.id] ?? owner.id}` : organisation.name
  return { ...memory, contributedBy: `${contributedBy} (${circle})` }
}
