import { longestText } from "./transcript-event.ts"

const gap = "\n[…]\n"
const beginning = Math.floor(longestText * 0.6)
const end = longestText - beginning - gap.length

/**
 * The beginning and end of a long text, at most `longestText` together: outputs show there what ran and how it ended.
 */
export function cutMiddle(text: string): string {
  if (text.length <= longestText) return text
  return text.slice(0, wholeBefore(text, beginning)) + gap + text.slice(wholeAfter(text, text.length - end))
}

/** The same offset or one before it, so that no character is split. */
function wholeBefore(text: string, at: number): number {
  return isTorn(text, at) ? at - 1 : at
}

function wholeAfter(text: string, at: number): number {
  return isTorn(text, at) ? at + 1 : at
}

function isTorn(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff)
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last
}
