import { type Frustration, frustrations } from "../../memories/episode.ts"
import { lowerCase, phrases } from "../languages/phrases.ts"
import { beginsWithNo } from "./openers.ts"

/** Compares by rank: as texts, "mild" would come before "none". */
export function rankOf(frustration: Frustration): number {
  return frustrations.indexOf(frustration)
}

export function atLeast(frustration: Frustration, least: Frustration): boolean {
  return rankOf(frustration) >= rankOf(least)
}

export function worse(one: Frustration, other: Frustration): Frustration {
  return rankOf(one) >= rankOf(other) ? one : other
}

/**
 * The level of frustration in the user's own words. Thanks and "works now" cancel it, unless it is severe or the
 * complaint comes later.
 */
export function frustrationIn(message: string): Frustration {
  const words = lowerCase(message)
  const level = isPlainQuestion(words) ? "none" : levelIn(words)
  if (level !== "severe" && hasAcceptance(words)) {
    return level === "moderate" && lastMatch(moderate, words) > lastAcceptance(words) ? level : "none"
  }
  return isLoud(message) ? (frustrations[Math.min(rankOf(level) + 1, 3)] ?? level) : level
}

/** "Is it still failing?" asks; "why did you …?" does not. */
function isPlainQuestion(words: string): boolean {
  return /^\s{0,3}(?:is|are|does|do|did|was|has|have|ist|sind|funktioniert|est-ce|está|sigue)\s[^.!?\n]{1,120}\?\s{0,3}$/.test(
    words,
  )
}

function levelIn(words: string): Frustration {
  if (lastMatch(severe, words) >= 0) return "severe"
  if (lastMatch(moderate, words) >= 0) return "moderate"
  return lastMatch(mild, words) >= 0 || beginsWithNo(words) || /\?{2,}|!\?|\?!/.test(words) ? "mild" : "none"
}

function lastMatch(pattern: RegExp, words: string): number {
  let last = -1
  for (const match of words.matchAll(pattern)) last = match.index
  return last
}

const severe = phrases(({ frustration }) => frustration.severe)
const moderate = phrases(({ frustration }) => frustration.moderate)
const mild = phrases(({ frustration }) => frustration.mild)

/**
 * Three exclamation marks, or most of the message in capitals: at least three words, so that constants do not count.
 */
function isLoud(words: string): boolean {
  if (/!{3}|！{2}/.test(words)) return true
  const letters = words.replace(/[^\p{Lu}\p{Ll}]/gu, "")
  const capitals = letters.replace(/\p{Ll}/gu, "").length
  if (letters.length < 8 || capitals / letters.length < 0.7) return false
  return (words.match(/(?<![\p{L}_])\p{Lu}{2,}(?![\p{L}_])/gu) ?? []).length >= 3
}

/** Whether the user says thanks or that it works, but not "how it works" or "make sure it works". */
export function hasAcceptance(words: string): boolean {
  return lastAcceptance(words) >= 0
}

/** The offset of the last words of acceptance; -1 without any. */
function lastAcceptance(message: string): number {
  const words = lowerCase(message)
  const first = atStart.exec(withoutInterjections(words.trim()))
  let last = first === null || isTakenBack(words.trimStart()) ? -1 : 0
  for (const match of words.matchAll(anywhere)) {
    if (match.index > farthest) break
    const clause =
      words
        .slice(Math.max(0, match.index - 40), match.index)
        .split(/[.!?;,。！？，\n]|\bbut\b/)
        .at(-1) ?? ""
    hedge.lastIndex = 0
    if (!hedge.test(clause) && !isTakenBack(words.slice(match.index + match[0].length))) last = match.index
  }
  return last
}

/** Praise far into a message is part of a description. */
const farthest = 200

/** "Good, but …" accepts only what precedes the complaint; "works?" accepts nothing. */
function isTakenBack(behind: string): boolean {
  return /^[^.!?\n]{0,60}\b(?:but|however|except|though|aber|pero|mais|mas)\b|^\s{0,2}\?/i.test(behind)
}

function withoutInterjections(text: string): string {
  return text.replace(/^(?:(?:wow|oh|ah+|ok(?:ay)?|yes|yep|yeah|hm+|well|cool|haha|👍|🎉)[\s,.!…]{1,4}){1,3}/iu, "")
}

const atStart = phrases(({ accepts }) => accepts.first, "first")
const anywhere = phrases(({ accepts }) => accepts.anywhere)
const hedge = phrases(({ hedges }) => hedges)
