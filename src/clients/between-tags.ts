/** What stands between a tag and its end: the first time, trimmed. Nothing where the tag does not stand, or is never closed. */
export function betweenTags(text: string, tag: string): string | undefined {
  const open = `<${tag}>`
  const start = text.indexOf(open)
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start + open.length)
  return end < 0 ? undefined : text.slice(start + open.length, end).trim()
}
