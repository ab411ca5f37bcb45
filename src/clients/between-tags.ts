/**
 * The user's text between tags, at the end of a message with other content from the client before it. That content may
 * contain the same tags, so the last pair counts, and only if nothing follows. Undefined without such a tag.
 */
export function typedBetween(text: string, tag: string): string | undefined {
  const [open, close] = [`<${tag}>`, `</${tag}>`]
  if (!text.includes(open)) return undefined
  const isAlone = text.indexOf(open) === text.lastIndexOf(open) && text.indexOf(close) === text.lastIndexOf(close)
  if (isAlone) return betweenTags(text, tag)
  const end = text.trimEnd()
  return end.endsWith(close) ? end.slice(end.lastIndexOf(open) + open.length, -close.length).trim() : ""
}

/** The trimmed text between the first such tag and its end tag; undefined if the tag is missing or not closed. */
export function betweenTags(text: string, tag: string): string | undefined {
  const open = `<${tag}>`
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start + open.length)
  return end < 0 ? undefined : text.slice(start + open.length, end).trim()
}
