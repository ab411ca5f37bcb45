/** Whether PostgreSQL can store every string in the value: it accepts neither NUL nor lone surrogates. */
export function isStorable(value: unknown): boolean {
  const left = [value] // not recursive: a request may be nested deeper than the stack allows
  while (left.length > 0) {
    const each = left.pop()
    if (typeof each === "string" && (each.includes("\0") || /\p{Surrogate}/u.test(each))) return false
    if (typeof each === "object" && each !== null) for (const inner of Object.values(each)) left.push(inner)
  }
  return true
}
