import { longestText } from "./transcript-event.ts"

const gap = "\n[…]\n"
const beginning = Math.floor(longestText * 0.6)
const end = longestText - beginning - gap.length

/** A long text's beginning and end, at most `longestText` together: where outputs say what was run, and how it went. */
export function cutMiddle(text: string): string {
  if (text.length <= longestText) return text
  return text.slice(0, wholeBefore(text, beginning)) + gap + text.slice(wholeAfter(text, text.length - end))
}

/** The same place, or one before it, so that no character is torn in two. */
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
