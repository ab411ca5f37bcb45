import { dropUnseen } from "./drop-unseen.ts"

/** Code points that a memory's text may have. */
export const longestMemory = 300

/** A memory's text as it may be kept: one line, one or two sentences, not too long; "" when nothing is left. */
export function cleanMemoryText(text: string): string {
  const sentences = toOneLine(text).split(/(?<=[.!?][)"'’”`*]?) (?=[\p{Lu}\p{N}`"'“*])|(?<=[。！？])/u)
  const kept = sentences.slice(0, 2).join(/[。！？]$/.test(sentences[0] ?? "") ? "" : " ")
  return clip(kept, longestMemory)
}

/** The text on one line, without what nobody sees. */
export function toOneLine(text: string): string {
  return dropUnseen(text.replace(/\s+/g, " ")).replace(/ {2,}/g, " ").trim()
}

/** The text up to so many code points, ended at a word where there is one near. */
export function clip(text: string, most: number): string {
  const points = [...text]
  if (points.length <= most) return text
  const kept = points.slice(0, most - 1).join("")
  const border = kept.lastIndexOf(" ")
  return `${(border > kept.length / 2 ? kept.slice(0, border) : kept).trimEnd()}…`
}
