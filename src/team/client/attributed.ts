import type { TeamMemory } from "../api.ts"
import type { Login } from "./login-file.ts"

/** Adds the audience to the contributor, `Kim (team Payments)`, so that copies show it offline too. */
export function attributed(
  memory: TeamMemory,
  { teams, organisation }: Pick<Login, "teams" | "organisation">,
): TeamMemory {
  const { owner, contributedBy } = memory
  const circle = owner.type === "team" ? `team ${teams[owner.id] ?? owner.id}` : organisation.name
  return { ...memory, contributedBy: `${contributedBy} (${circle})` }
}
