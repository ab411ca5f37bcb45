/**
 * Characters that nobody sees but a model reads: controls, direction marks, invisible and tag characters. A joiner stays
 * between two letters of a script that needs it, and where it makes one emoji of two.
 */
const unseen =
  /(?![\t\n]|(?<=[^\0-\u02ff\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]\ufe0f?)[\u200c\u200d](?=[^\0-\u02ff\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb])|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Line ends of other systems, and the two that only Unicode has. */
const lineEnds = /\r\n|[\u2028\u2029]/g

/** The same for a text of several lines, all of which end as ours do. */
export function dropUnseenInLines(text: string): string {
  return dropUnseen(text.replace(lineEnds, "\n"))
}

/** JSON that says the same without a character that could steer a terminal: it is written as an escape. */
export function escapeUnseen(json: string): string {
  return json.replace(unseen, toEscape).replace(/[\u2028\u2029]/g, toEscape)
}

function toEscape(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"))
  return units.map((unit) => `\\u${unit}`).join("")
}

/** Text without what could steer a terminal, or hide in a line. */
export function dropUnseen(text: string): string {
  return text.replace(unseen, "")
}
