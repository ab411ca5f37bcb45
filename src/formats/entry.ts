import type { Timestamp } from "./timestamp.ts"

export const entryTypes = ["decision", "memory", "note", "directive"] as const
export type EntryType = (typeof entryTypes)[number]

export const relatedTypes = ["proposal", "issue", "decision", "memory", "pr", "skill"] as const
export type Related = { type: string; identifier: string }

/** A field no rule knows, kept with its exact name, text and place among the others. */
export type Extension = { name: string; value: string }

/** An entry of the team, normalized: defaults filled in, lists always present, bodies without outer blank lines. */
export type Entry = {
  type: EntryType
  timestamp: Timestamp
  /** `day` when the source gave no time of day and the one in `timestamp` is invented. */
  precision: "second" | "day"
  author: string
  contributors: string[]
  title: string
  summary: string
  scope: Scope
  tags: string[]
  details?: string
  rationale?: string
  related: Related[]
  supersedes: string[]
  supersededBy: string[]
  /** When the entry is due for review; it stays active until it is reviewed. */
  expires?: Timestamp
  /** Set only if the file states it; `entryId` returns the id of any entry. */
  id?: string
  review?: string
  extensions: Extension[]
}

export const titleLimit = 120

/** Length as people count it: code points, not UTF-16 units. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** The audience of an entry: `team`, `project`, `agent:<name>` or `skill:<name>`. */
export type Scope = string

export const scopePattern = /^(team|project|(agent|skill):[\p{L}\p{N}][\p{L}\p{N}._-]*)$/u

export function isScope(text: string): boolean {
  return text === "team" || text === "project" || scopePattern.test(text)
}

/** The agent an `agent:` scope names, in lower case because names compare case-insensitively. */
export function agentOfScope(scope: Scope): string | undefined {
  return scope.startsWith("agent:") ? scope.slice("agent:".length).toLowerCase() : undefined
}

/** The scope for an agent's own entries; a name that fits no scope gives `team`, so that nothing is hidden by accident. */
export function agentScope(name: string): Scope {
  const scope = `agent:${name.trim().replace(/\s+/g, "-")}`
  return isScope(scope) ? scope : "team"
}

export function sameScope(one: Scope, other: Scope): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
