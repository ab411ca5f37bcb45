import { dropUnseen } from "../formats/drop-unseen.ts"

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
  return dropUnseen(text.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")).replace(wrapper, "&lt;")
}
