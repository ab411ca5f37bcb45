/**
 * How ids are shown: the shortest beginning, of at least `least` characters, that means no other item, without `sem-`, and with `m:` for a
 * learned memory. `idsLike` returns what a beginning means, so it is understood wherever an id is typed.
 */
export async function shortestIds(
  ids: readonly string[],
  idsLike: (typed: string) => Promise<readonly string[]>,
  least = 4,
): Promise<(id: string) => string> {
  const short = new Map<string, string>()
  for (const id of new Set(ids)) {
    const own = bareId(id)
    let length = (/^(?:m:|[a-z]+-)/.exec(own)?.[0].length ?? 0) + least
    while (length < own.length && (await idsLike(own.slice(0, length))).some((each) => each !== id)) length++
    short.set(id, own.slice(0, length))
  }
  return (id) => short.get(id) ?? bareId(id)
}

function bareId(id: string): string {
  return id.replace(/^sem-/, "").replace(/^m-(?=[0-9a-f]{16}$)/, "m:")
}
