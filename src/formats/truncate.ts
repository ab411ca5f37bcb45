/** The text, or as many of its first code points as leave room for an ellipsis; never half a character. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text
  const end = endOfCodePoints(text, most)
  return end === text.length ? text : `${text.slice(0, endOfCodePoints(text, most - 1)).trimEnd()}…`
}

/** Where the first so many code points of a text end. */
function endOfCodePoints(text: string, count: number): number {
  let end = 0
  for (let taken = 0; taken < count && end < text.length; taken++) end += isPair(text, end) ? 2 : 1
  return end
}

function isPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  return code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000
}
