import { toOneLine } from "../../formats/memory-text.ts"
import { scrubText } from "../../governance/find-sensitive.ts"
import { isIncomplete, isMomentary } from "./is-momentary.ts"

const longestRead = 4000
const longestList = 240

/**
 * What an agent noted down, as sentences that another session can use: a line that announces a list is one sentence with it, and what
 * only held at that moment is left out.
 */
export function statementsOf(text: string): string[] {
  const blocks = blocksOf(scrubText(text.slice(0, longestRead))) // as a whole: no line of a key tells what it is
  const prose = blocks.filter(({ kind }) => kind !== "item")
  const told = (prose.length > 0 ? prose : blocks).flatMap((block) =>
    block.kind === "list" ? tellList(block) : sentencesOf(block.text),
  )
  const kept: string[] = []
  let isBroken = false // what is left out takes along what refers to it
  for (const sentence of told) {
    isBroken = !lasts(sentence) || (isBroken && refersBack.test(sentence))
    if (!isBroken) kept.push(withEnd(sentence))
  }
  return kept
}

function lasts(sentence: string): boolean {
  return !isMomentary(sentence) && !isIncomplete(sentence)
}

/** Also where the subject is missing: it stood in the sentence before. */
const refersBack =
  /^(?:this|that|these|those|it|they|he|she|so|then|also|but|therefore|hence|such|should|must|can|could|may|might|would|needs?)\b/i

/** A line of its own, a list with the line that announces it, or an item that nothing announced. */
type Block = { kind: "line" | "item"; text: string } | { kind: "list"; label: string; items: string[] }

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  for (const line of linesOf(text)) {
    const item = /^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?(.*)$/.exec(line)?.[1]
    const last = blocks.at(-1)
    if (item !== undefined && last?.kind === "list") last.items.push(item)
    else if (item !== undefined) blocks.push({ kind: "item", text: item })
    else if (line.endsWith(":")) blocks.push({ kind: "list", label: line, items: [] })
    else if (last?.kind === "line" && /^\p{Ll}/u.test(line) && !/[.!?:;]$/.test(last.text)) last.text += ` ${line}`
    else blocks.push({ kind: "line", text: line })
  }
  return blocks
}

/** Without code, headings and rules, each as it reads on one line. */
function linesOf(text: string): string[] {
  let isCode = false
  return text.split("\n").flatMap((raw) => {
    const line = toOneLine(raw)
    if (/^(?:```|~~~)/.test(line)) {
      isCode = !isCode
      return []
    }
    return isCode || line === "" || /^(?:#{1,6}\s|-{3,}$|={3,}$|\|)/.test(line) ? [] : [line]
  })
}

function tellList({ label, items }: Extract<Block, { kind: "list" }>): string[] {
  let told = ""
  for (const item of items.filter(lasts).map((each) => each.replace(/[.;,:]+$/, ""))) {
    const longer = told === "" ? `${label} ${item}` : `${told}; ${item}`
    if (longer.length > longestList) break
    told = longer
  }
  return told === "" ? [] : [told]
}

function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?][)"'’”`*]?) (?=[\p{Lu}\p{N}`"'“*])/u)
}

function withEnd(sentence: string): string {
  return /[.!?。！？…]["'”’)`]?$/.test(sentence) ? sentence : `${sentence.replace(/[,;:]+$/, "")}.`
}
