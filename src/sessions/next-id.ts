import type { AgentMemory, EntrySection } from "../formats/session/agent-memory.ts"

const prefixes = { discoveries: "discovery", attempts: "attempt", decisions: "decision" } as const

/**
 * The next free id of a section, over the live file and the archive: `attempt-004`. The archive may be large and is
 * only searched as text: a false match merely leaves a gap in the numbers.
 */
export function nextId(section: EntrySection, memory: AgentMemory, archive: string | undefined): string {
  const prefix = prefixes[section]
  const ids = [...memory[section].map(({ id }) => id), ...memory.history.flatMap((span) => span.ids)]
  const numbers = ids.map((id) => (id.startsWith(`${prefix}-`) ? Number(id.slice(prefix.length + 1)) : Number.NaN))
  for (const [, digits] of (archive ?? "").matchAll(archivedId(prefix))) numbers.push(Number(digits))
  return numberedId(prefix, numbers)
}

/** One more than the highest number. */
export function numberedId(prefix: string, numbers: readonly number[]): string {
  const highest = numbers.filter(Number.isSafeInteger).reduce((one, other) => Math.max(one, other), 0)
  return `${prefix}-${String(highest + 1).padStart(3, "0")}`
}

function archivedId(prefix: string): RegExp {
  return new RegExp(`\\bid["']?[ \\t]{0,9}:[ \\t]{0,9}["']?${prefix}-(\\d{1,15})\\b`, "g")
}
