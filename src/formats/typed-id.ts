/** With fewer characters an id is not meant: they begin too many others. */
const shortestBeginning = 4

/**
 * The ids that a typed one stands for: the one that is spelled like it, else all that begin with it. The `sem-` or `m-` in front may be
 * left out, and `m:4f2a91` and `[sem-3f9a2c41]`, as contexts write them, are understood.
 */
export function idsMeant(typed: string, ids: Iterable<string>): string[] {
  const beginnings = idBeginnings(typed)
  const [exact] = beginnings
  const known = new Set(ids)
  if (exact !== undefined && known.has(exact)) return [exact]
  return isLongEnough(typed) ? [...known].filter((id) => beginnings.some((each) => id.startsWith(each))) : []
}

/** The same for a list that can be asked for beginnings: the first is the id as it was typed. */
export function idBeginnings(typed: string): string[] {
  const id = plainId(typed)
  return /^(?:sem|m)-/.test(id) ? [id] : [id, `sem-${id}`, `m-${id}`]
}

export function isLongEnough(typed: string): boolean {
  return plainId(typed).replace(/^(?:sem|m)-/, "").length >= shortestBeginning
}

function plainId(typed: string): string {
  return typed
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/^m:/, "m-")
}
