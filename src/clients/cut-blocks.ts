/** The start and end of a block; `reachesToEnd` removes an unclosed block up to the end. */
export type BlockTag = { open: string; close: string; reachesToEnd?: true }

/**
 * Removes text that a client inserted into the user's: from the first start to the last end. The block contains a
 * file's or a tool's text, which may include an end tag in order to pass as the user's text after it.
 */
export function cutToLast(text: string, { open, close }: Pick<BlockTag, "open" | "close">): string {
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.lastIndexOf(close)
  return end < start + open.length ? text : text.slice(0, start) + text.slice(end + close.length)
}

/** Removes all blocks of a kind from a text; `note` receives each. */
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
