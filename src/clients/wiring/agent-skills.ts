import { join } from "node:path"
import type { WiringPlace } from "../wiring.ts"

/** Where clients look for skills that keep to no folder of one vendor. */
export function agentSkills(place: WiringPlace): string[] {
  return [join(place.scope === "project" ? place.root : place.home, ".agents", "skills")]
}

/** The same for clients that read Claude Code's folder too. */
export function agentAndClaudeSkills(place: WiringPlace): string[] {
  return [...agentSkills(place), join(place.scope === "project" ? place.root : place.home, ".claude", "skills")]
}
