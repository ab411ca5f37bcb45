import { sha256 } from "../disk/sha256.ts"
import { agentKey } from "../formats/agent-key.ts"

/** An agent's name as logged. Callers may pass any text as a name: only plausible names are kept, others are hashed. */
export function loggedAgent(name: string | undefined): string | undefined {
  const key = agentKey(name)
  if (key === undefined || /^\p{L}{1,20}(?:-\p{L}{1,20}){0,2}(?:-\d{1,2})?$/u.test(key)) return key
  return `a-${sha256(key).slice(0, 8)}`
}
