/** Who an entry is for: `team`, `project`, `agent:<name>` or `skill:<name>`. */
export type Scope = string

export const scopePattern = /^(team|project|(agent|skill):[\p{L}\p{N}][\p{L}\p{N}._-]*)$/u

export function isScope(text: string): boolean {
  return text === "team" || text === "project" || scopePattern.test(text)
}

/** The agent an `agent:` scope names, in lower case because names compare case-insensitively. */
export function agentOfScope(scope: Scope): string | undefined {
  return scope.startsWith("agent:") ? scope.slice("agent:".length).toLowerCase() : undefined
}

/** The scope for an agent's own entries; a name that fits no scope gives `team`, so that nothing is hidden by accident. */
export function agentScope(name: string): Scope {
  const scope = `agent:${name.trim().replace(/\s+/g, "-")}`
  return isScope(scope) ? scope : "team"
}

export function sameScope(one: Scope, other: Scope): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
