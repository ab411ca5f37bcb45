import { dropUnseen } from "./drop-unseen.ts"

const brackets = "<＜﹤‹⟨〈〈❬❮˂ᐸ"

const joinedBracket = new RegExp(`[\u200c\u200d]*([${brackets}])[\u200c\u200d]*`, "g")

/** Whatever could open a tag: clients and models give more of them a meaning than any list names. `a < b` stays as it is. */
const tag = new RegExp(
  String.raw`[${brackets}](?=\s*[/／⁄∕|｜!！?？${brackets}]|[_\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]|\s+[\p{L}\w:-]{1,40}\s*[>＞›])`,
  "gu",
)

/** The marks that some models know in square brackets. */
const squareMark = /\[(?=\s*\/?\s*(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+)\s*\])/gi

/** Stored text as it stands in a context: every line marked as quoted, and nothing in it that closes the wrapper or speaks as someone else. */
export function quote(text: string): string {
  const lines = defuse(text)
    .replace(/(?<![ \t])[ \t]+$/gm, "")
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
  return dropUnseen(text.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n"))
    .replace(joinedBracket, "$1")
    .replace(tag, "&lt;")
    .replace(squareMark, "&#91;")
}
