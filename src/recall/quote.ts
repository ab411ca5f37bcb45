/**
 * Characters that nobody sees but a model reads: controls, direction marks, invisible and tag characters. A joiner stays
 * between two letters of a script that needs it, and where it makes one emoji of two.
 */
const unseen =
  /(?![\t\n]|(?<=[^\0-\u02ff\p{Default_Ignorable_Code_Point}]\ufe0f?)[\u200c\u200d](?=[^\0-\u02ff\p{Default_Ignorable_Code_Point}])|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** Tags that clients and models give a meaning; in stored text they are only characters. */
const wrapper =
  /<(?=[\s/|]*(?:drey|system|user|assistant|human|developer|tool|function|instruction|command|private|important|admin|antml|im_start|im_end|endoftext)[\w:|-]*)/gi

/** Stored text as it stands in a context: every line marked as quoted, and nothing in it that closes the wrapper or speaks as someone else. */
export function quote(text: string): string {
  const lines = defuse(text)
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .split("\n")
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n")
}

/** Stored text that stands within a line of ours: a name, a title, a path. */
export function quoteInline(text: string): string {
  return defuse(text).replace(/\s+/g, " ").trim()
}

function defuse(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(unseen, "")
    .replace(wrapper, "&lt;")
}

/** Text without what could steer a terminal or hide in a line. */
export function dropUnseen(text: string): string {
  return text.replace(unseen, "")
}
