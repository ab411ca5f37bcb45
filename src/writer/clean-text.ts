import { dropUnseen } from "../formats/drop-unseen.ts"

export const longestMemory = 300

/** A memory's text as it may be kept: one line, one or two sentences, at most 300 characters; "" when nothing is left. */
export function cleanText(text: string): string {
  const line = dropUnseen(text.replace(/\s+/g, " ")).trim()
  const sentences = line.split(/(?<=[.!?][)"'’”`*]?) (?=[\p{Lu}\p{N}`"'“*])|(?<=[。！？])/u)
  const kept = sentences.slice(0, 2).join(/[。！？]$/.test(sentences[0] ?? "") ? "" : " ")
  return clip(kept, longestMemory)
}

/** The text up to so many code points, ended at a word where there is one near. */
export function clip(text: string, most: number): string {
  const points = [...text]
  if (points.length <= most) return text
  const kept = points.slice(0, most - 1).join("")
  const border = kept.lastIndexOf(" ")
  return `${(border > kept.length / 2 ? kept.slice(0, border) : kept).trimEnd()}…`
}
