import { join } from "node:path"
import type { WiringPlace } from "../wiring.ts"

/** The vendor-neutral folder for skills. */
export function agentSkills(place: WiringPlace): string[] {
  return [join(place.scope === "project" ? place.root : place.home, ".agents", "skills")]
}

/** The same, and Claude Code's folder for clients that read it too. */
export function agentAndClaudeSkills(place: WiringPlace): string[] {
  return [...agentSkills(place), join(place.scope === "project" ? place.root : place.home, ".claude", "skills")]
}
