export type Stripped = { text: string; contexts: string[] }

/** A truncated context is still ours, and a missing end tag must not expose private text: both extend to the end. */
const contextTag: BlockTag = { open: "<drey-context", close: "</drey-context>", reachesToEnd: true }
const privateTag: BlockTag = { open: "<private>", close: "</private>", reachesToEnd: true }

/** Removes Drey's contexts, recording their ids, and text that the user marked as private. */
export function stripInjected(text: string): Stripped {
  if (!text.includes(contextTag.open) && !text.includes(privateTag.open)) return { text, contexts: [] }
  const contexts: string[] = []
  const withoutContexts = cutBlocks(text, contextTag, (block) => {
    const task = taskAttribute.exec(block.slice(0, 200))?.[1]
    if (task !== undefined && !contexts.includes(task)) contexts.push(task)
  })
  return { text: cutBlocks(withoutContexts, privateTag).trim(), contexts }
}

/** Quotes are escaped in logs quoted inside logs. */
const taskAttribute = /^<drey-context[^>]{0,100}?\stask=\\{0,8}"(t-[\w-]{1,64})/

/** The start and end of a block; `reachesToEnd` removes an unclosed block up to the end. */
type BlockTag = { open: string; close: string; reachesToEnd?: true }

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

/**
 * The user's text between tags, at the end of a message with other content from the client before it. That content may
 * contain the same tags, so the last pair counts, and only if nothing follows. Undefined without such a tag.
 */
export function typedTextInTag(text: string, tag: string): string | undefined {
  const [open, close] = [`<${tag}>`, `</${tag}>`]
  if (!text.includes(open)) return undefined
  const isAlone = text.indexOf(open) === text.lastIndexOf(open) && text.indexOf(close) === text.lastIndexOf(close)
  if (isAlone) return textInTag(text, tag)
  const end = text.trimEnd()
  return end.endsWith(close) ? end.slice(end.lastIndexOf(open) + open.length, -close.length).trim() : ""
}

/** The trimmed text between the first such tag and its end tag; undefined if the tag is missing or not closed. */
export function textInTag(text: string, tag: string): string | undefined {
  const open = `<${tag}>`
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start + open.length)
  return end < 0 ? undefined : text.slice(start + open.length, end).trim()
}
