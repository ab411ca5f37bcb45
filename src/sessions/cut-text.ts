/** The beginning of a text, at most so many characters with the mark that says how many are missing. No character is cut in two. */
export function cutCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = [...text]
  if (characters.length <= most) return text
  const mark = (kept: number) => `\n[… ${characters.length - kept} more characters]`
  const kept = most - mark(0).length
  return characters.slice(0, kept).join("") + mark(kept)
}

/** The same, by bytes of UTF-8. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const mark = (kept: number) => `\n[… ${bytes.length - kept} more bytes]`
  let kept = most - Buffer.byteLength(mark(0))
  while (((bytes[kept] ?? 0) & 0xc0) === 0x80) kept-- // in the middle of a character
  return bytes.subarray(0, kept).toString() + mark(kept)
}
