import { sha256 } from "../disk/sha256.ts"
import { agentKey } from "../formats/agent-key.ts"

/** An agent's name as a log keeps it. Callers may put anything in the place of a name: only what looks like one is kept, the rest as a hash. */
export function loggedAgent(name: string | undefined): string | undefined {
  const key = agentKey(name)
  if (key === undefined || /^\p{L}{1,20}(?:-\p{L}{1,20}){0,2}(?:-\d{1,2})?$/u.test(key)) return key
  return `a-${sha256(key).slice(0, 8)}`
}
