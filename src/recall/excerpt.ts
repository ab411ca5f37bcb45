import { truncate } from "../formats/truncate.ts"
import { cutPassages, plainText } from "../index/cut-passages.ts"
import type { StoredItem } from "../index/index-store.ts"
import { tokenize } from "../index/tokenize.ts"
import { readPayload } from "./payload.ts"

const longestSummary = 300
const longestPassage = 600

/** One sentence for an entry: its summary, or the beginning of its decision, or of its text. */
export function summaryOf(item: StoredItem): string {
  const payload = readPayload(item)
  const summary =
    payload.kind === "entry" ? payload.read.entry.summary : payload.kind === "skill" ? payload.description : ""
  return firstSentences(summary === "" ? beginningOf(item.text) : summary, longestSummary)
}

/**
 * For a record with sections, the decision, preceded by the status unless it is simply accepted. Headings are dropped.
 */
function beginningOf(text: string): string {
  const start = text.slice(0, mostRead)
  const status = sectionOf(start, statusHeading)
  const decided = sectionOf(start, decisionHeading)
  const prose = decided || start.replace(statusHeading, "").replace(status, "").replace(headings, "\n").trim()
  if (prose === "") return text
  return isSettled.test(status) ? prose : `${status.replace(/[.\s]*$/, ".")} ${prose}`
}

/** A decision section further down is ignored. */
const mostRead = 20_000

function sectionOf(text: string, wanted: RegExp): string {
  const found = wanted.exec(text)
  return found ? (text.slice(found.index + found[0].length).split(headings)[0] ?? "").trim() : ""
}

const headings = /^#{1,6}[ \t].*$/gm
const statusHeading = /^#{1,6}[ \t]+status[ \t]*:?[ \t]*$/im
const decisionHeading =
  /^#{1,6}[ \t]+(?:\d+[.)]?[ \t]*)?(?:decisions?(?: outcome| made)?|resolution|summary|tl;?dr)[ \t]*:?[ \t]*$/im
const isSettled = /^(?:\W*(?:accepted|approved|done|implemented|final)\W*)?$|^.{120}/is // a longer text is not a status

/**
 * The summary of a long text and the passages that match the query best, in their order, scored by shared words and
 * meaning. `cosines` belong to the coarser passages of the index; without them only words count.
 */
export function excerptOf(item: StoredItem, query: string, cosines: readonly number[] = []): string {
  const summary = summaryOf(item)
  const wanted = new Set(tokenize(query))
  const passages = passagesOf(item.text).flatMap((passage) => withoutSummary(passage, summary))
  const nearness = nearnessIn(item, cosines)
  const scored = passages.map((text, at) => {
    const held = new Set(tokenize(text).filter((word) => wanted.has(word))).size
    return { text, at, score: held / Math.max(1, wanted.size) + nearness(text) }
  })
  scored.sort((one, other) => other.score - one.score || one.at - other.at)
  const least = (scored[0]?.score ?? 0) * nearlyAsGood
  const chosen: typeof scored = []
  let length = 0
  for (const passage of scored) {
    if (passage.score <= least && chosen.length > 0) break
    if (length + passage.text.length > longestPassage && chosen.length > 0) continue
    chosen.push(passage)
    length += passage.text.length
  }
  const shown = chosen.sort((one, other) => one.at - other.at).map(({ text }) => clip(text, longestPassage))
  return [summary, ...shown].join("\n… ")
}

/** The part of the passage that the summary does not already contain. */
function withoutSummary(passage: string, summary: string): string[] {
  const said = summary.replace(/…$/, "").trim()
  if (said.includes(passage)) return []
  const rest = passage.startsWith(said) ? passage.slice(said.length).trim() : passage
  return rest.split(" ").length < fewestWords ? [] : [rest]
}

/** Skips passages such as "Accepted" and "None yet". */
const fewestWords = 3

/** The fraction of the best score that a further passage needs. */
const nearlyAsGood = 0.5

/** Similarity of a piece of text to the query: that of the index passage it begins in. */
function nearnessIn(item: StoredItem, cosines: readonly number[]): (piece: string) => number {
  if (cosines.length < 2) return () => 0
  const passages = cutPassages("", item.text)
  const usual = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length
  return (piece) => {
    const start = plainText(piece).slice(0, longestStart)
    return cosines[passages.findIndex((passage) => passage.includes(start))] ?? usual
  }
}

/** This many characters identify a piece within one text. */
const longestStart = 40

/** Paragraphs, list items and sentences that can be read on their own. */
function passagesOf(text: string): string[] {
  return text
    .slice(0, 60_000)
    .replace(headings, "\n")
    .split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)/)
    .map((passage) => passage.replace(/\s+/g, " ").trim())
    .flatMap((passage) =>
      passage.length <= longestPassage ? [passage] : (passage.match(/.{1,500}(?:[.!?]\s|$)/g) ?? [passage]),
    )
    .map((passage) => passage.trim())
    .filter(Boolean)
}

function firstSentences(text: string, longest: number): string {
  const flat = text.replace(/\s+/g, " ").trim()
  if (flat.length <= longest) return flat
  const end = flat.slice(0, longest).search(/[.!?](?=\s[^.!?]*$)/)
  return end > longest / 3 ? flat.slice(0, end + 1) : clip(flat, longest)
}

/** Cut at a word boundary. */
function clip(text: string, longest: number): string {
  return text.length <= longest ? text : truncate(text, longest).replace(/\s\S*…$/, "…")
}
