/** Whether the database can keep every text in it: PostgreSQL knows no character 0, and no half of a pair. */
export function isStorable(value: unknown): boolean {
  const left = [value] // not by calling itself: what somebody sends may be nested deeper than that can go
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === "string" && (each.includes("\0") || /\p{Surrogate}/u.test(each))) return false
    if (typeof each === "object" && each !== null) for (const inner of Object.values(each)) left.push(inner)
  }
  return true
}
