/**
 * Characters that nobody sees but a model reads: controls, direction marks, invisible and tag characters. A joiner stays
 * between two letters of a script that needs it, and where it makes one emoji of two.
 */
const unseen =
  /(?![\t\n]|(?<=[^\0-\u02ff\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]\ufe0f?)[\u200c\u200d](?=[^\0-\u02ff\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb])|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Text without what could steer a terminal, or hide in a line. */
export function dropUnseen(text: string): string {
  return text.replace(unseen, "")
}
