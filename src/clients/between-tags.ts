/**
 * A person's words between tags, at the end of a text in which the client put other things before them. Those may hold
 * the same tags, so with several the last ones count, and only where nothing follows. Undefined where there is no such
 * tag.
 */
export function typedBetween(text: string, tag: string): string | undefined {
  const [open, close] = [`<${tag}>`, `</${tag}>`]
  if (!text.includes(open)) return undefined
  const isAlone = text.indexOf(open) === text.lastIndexOf(open) && text.indexOf(close) === text.lastIndexOf(close)
  if (isAlone) return betweenTags(text, tag)
  const end = text.trimEnd()
  return end.endsWith(close) ? end.slice(end.lastIndexOf(open) + open.length, -close.length).trim() : ""
}

/**
 * What stands between a tag and its end: the first time, trimmed. Nothing where the tag does not stand, or is never
 * closed.
 */
export function betweenTags(text: string, tag: string): string | undefined {
  const open = `<${tag}>`
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start + open.length)
  return end < 0 ? undefined : text.slice(start + open.length, end).trim()
}
