import { isDeepStrictEqual } from "node:util"

type Fields = Readonly<Record<string, unknown>>

/** Fields that are about to be changed and that somebody else changed since they were last seen, with the values that would be lost. */
export function findConflicts(seen: Fields | undefined, current: Fields, changing: readonly string[]): Fields {
  if (!seen) return {}
  const lost = changing.filter(
    (field) => current[field] !== undefined && !isDeepStrictEqual(seen[field], current[field]),
  )
  return Object.fromEntries(lost.map((field) => [field, current[field]]))
}

/** `_conflict` with these added; what an earlier conflict left there stays, under its name or with a number behind it. */
export function withConflicts(kept: unknown, conflicts: Fields): Record<string, unknown> {
  const all: Record<string, unknown> = typeof kept === "object" && kept !== null ? { ...kept } : {}
  for (const [field, value] of Object.entries(conflicts)) {
    let name = field
    for (let count = 2; Object.hasOwn(all, name); count++) name = `${field}-${count}`
    all[name] = value
  }
  return all
}
