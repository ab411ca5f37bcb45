export type WordPiece = { text: string; isChanged: boolean }

/** Two texts in pieces, with what only one of them has marked, word by word. */
export function diffWords(before: string, after: string): { before: WordPiece[]; after: WordPiece[] } {
  const old = wordsOf(before)
  const now = wordsOf(after)
  const common = commonWords(old, now)
  return { before: join(old, common.old), after: join(now, common.now) }
}

/** Words, signs and the white space between them. */
function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}

type Common = { old: Set<number>; now: Set<number> }

const mostCompared = 4_000_000

/** The places of the longest common subsequence; what is too long for that has its common beginning and end alone. */
function commonWords(old: readonly string[], now: readonly string[]): Common {
  const common: Common = { old: new Set(), now: new Set() }
  const keep = (oldAt: number, nowAt: number) => {
    common.old.add(oldAt)
    common.now.add(nowAt)
  }
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) keep(start, start++)
  let [oldEnd, nowEnd] = [old.length, now.length]
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) keep(--oldEnd, --nowEnd)
  const width = nowEnd - start + 1
  if ((oldEnd - start) * (nowEnd - start) > mostCompared) return common
  const lengths = new Uint32Array((oldEnd - start + 1) * width)
  const lengthAt = (oldAt: number, nowAt: number) => lengths[(oldAt - start) * width + nowAt - start] ?? 0
  for (let oldAt = oldEnd - 1; oldAt >= start; oldAt--)
    for (let nowAt = nowEnd - 1; nowAt >= start; nowAt--)
      lengths[(oldAt - start) * width + nowAt - start] =
        old[oldAt] === now[nowAt]
          ? lengthAt(oldAt + 1, nowAt + 1) + 1
          : Math.max(lengthAt(oldAt + 1, nowAt), lengthAt(oldAt, nowAt + 1))
  for (let oldAt = start, nowAt = start; oldAt < oldEnd && nowAt < nowEnd; ) {
    if (old[oldAt] === now[nowAt]) keep(oldAt++, nowAt++)
    else if (lengthAt(oldAt + 1, nowAt) >= lengthAt(oldAt, nowAt + 1)) oldAt++
    else nowAt++
  }
  return common
}

/** White space between two marked words is marked with them, so that a changed phrase reads as one. */
function join(words: readonly string[], common: ReadonlySet<number>): WordPiece[] {
  const isChangedAt = (at: number) => at >= 0 && at < words.length && !common.has(at)
  const pieces: WordPiece[] = []
  words.forEach((text, at) => {
    const isChanged = isChangedAt(at) || (text.trim() === "" && isChangedAt(at - 1) && isChangedAt(at + 1))
    const last = pieces.at(-1)
    if (last?.isChanged === isChanged) last.text += text
    else pieces.push({ text, isChanged })
  })
  return pieces
}
