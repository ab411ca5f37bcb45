import type { Chooser } from "./chooser.ts"
import { oddTexts } from "./odd-texts.ts"

/** A text with some of it cut, doubled, moved, or replaced by what readers stumble over; `other` lends pieces of itself. */
export function mutateText(text: string, other: string, choose: Chooser): string {
  let mutated = text
  for (let times = 1 + choose.below(4); times > 0; times--) mutated = choose.from(mutations)(mutated, other, choose)
  return mutated.slice(0, longestInput)
}

export const longestInput = 64 * 1024

type Mutation = (text: string, other: string, choose: Chooser) => string

const mutations: readonly Mutation[] = [
  (text, _, choose) => replaced(text, pieceOf(text, choose), ""),
  (text, _, choose) => replaced(text, pieceOf(text, choose), choose.from(oddTexts)),
  (text, _, choose) => inserted(text, choose.from(oddTexts), choose),
  (text, _, choose) => inserted(text, choose.from(oddTexts).repeat(1 + choose.below(60)), choose),
  (text, _, choose) => inserted(text, sliceOf(text, choose), choose),
  (text, _, choose) => inserted(text, sliceOf(text, choose).repeat(2 + choose.below(8)), choose),
  (text, other, choose) => inserted(text, sliceOf(other, choose), choose),
  (text, other, choose) => text.slice(0, choose.below(text.length + 1)) + other.slice(choose.below(other.length + 1)),
  (text, _, choose) => text.slice(0, choose.below(text.length + 1)),
  (text, _, choose) => text.slice(choose.below(text.length + 1)),
  (text, _, choose) => inserted(text, String.fromCodePoint(choose.below(0x2100)), choose),
  (text) => text.replaceAll("\n", "\r\n"),
  (text, _, choose) => swappedLines(text, choose),
  (text, _, choose) => withoutLine(text, choose),
]

type Piece = { start: number; end: number }

/** Short ones mostly: a long cut leaves little to stumble over. */
function pieceOf(text: string, choose: Chooser): Piece {
  const start = choose.below(text.length + 1)
  const longest = choose.chance(0.8) ? 12 : 400
  return { start, end: Math.min(text.length, start + choose.below(longest)) }
}

function sliceOf(text: string, choose: Chooser): string {
  const { start, end } = pieceOf(text, choose)
  return text.slice(start, end)
}

function replaced(text: string, { start, end }: Piece, by: string): string {
  return text.slice(0, start) + by + text.slice(end)
}

function inserted(text: string, piece: string, choose: Chooser): string {
  const at = choose.below(text.length + 1)
  return replaced(text, { start: at, end: at }, piece)
}

function swappedLines(text: string, choose: Chooser): string {
  const lines = text.split("\n")
  const [one, other] = [choose.below(lines.length), choose.below(lines.length)]
  const kept = lines[one] ?? ""
  lines[one] = lines[other] ?? ""
  lines[other] = kept
  return lines.join("\n")
}

function withoutLine(text: string, choose: Chooser): string {
  return text
    .split("\n")
    .toSpliced(choose.below(text.split("\n").length), 1)
    .join("\n")
}
