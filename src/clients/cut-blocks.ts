/** A block's first and last characters; `reachesToEnd` for one that is cut although it is never closed. */
export type BlockTag = { open: string; close: string; reachesToEnd?: true }

/**
 * Takes out what a client put between a person's words: from the first beginning to the last end. What stands in such a
 * block is a file's or a tool's, and may itself hold an end tag in order to pass for the person behind it.
 */
export function cutToLast(text: string, { open, close }: Pick<BlockTag, "open" | "close">): string {
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.lastIndexOf(close)
  return end < start + open.length ? text : text.slice(0, start) + text.slice(end + close.length)
}

/** Takes all blocks of a kind out of a text; `note` sees each. */
export function cutBlocks(text: string, tag: BlockTag, note?: (block: string) => void): string {
  let kept = ""
  let at = 0
  for (;;) {
    const start = text.indexOf(tag.open, at)
    const closing = start < 0 ? -1 : text.indexOf(tag.close, start + tag.open.length)
    if (start < 0 || (closing < 0 && !tag.reachesToEnd)) return at === 0 ? text : kept + text.slice(at)
    const end = closing < 0 ? text.length : closing + tag.close.length
    note?.(text.slice(start, end))
    kept += text.slice(at, start)
    at = end
  }
}
