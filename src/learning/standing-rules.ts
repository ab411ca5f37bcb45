import { existsSync } from "node:fs"
import type { Episode } from "../episodes/episode.ts"
import { normalizeText } from "../formats/normalize-text.ts"
import { findStore } from "../squad/find-store.ts"
import { readStore } from "../squad/read-store.ts"
import { findStatedRules } from "../writer/rules/find-stated-rules.ts"
import type { Operation } from "../writer/writer.ts"

/** Whether a proposed memory is already one of the team's directives: the rule was captured when it was stated. */
export type StandingRules = (operation: Operation, episode: Pick<Episode, "events">) => boolean

/** The active directives of a repository, read when the first operation is based on the user's words. */
export function openStandingRules(root: string, home: string, now: Date): StandingRules {
  let read: Set<string> | undefined
  const stands = (text: string) => {
    read ??= readRules(root, home, now)
    return read.has(normalizeText(text))
  }
  return (operation, { events }) => {
    if (operation.op === "DEPRECATE" || operation.evidence.source === "failure_then_success") return false
    if (stands(operation.text)) return true
    const said = events[operation.evidence.event ?? -1]
    const rules = said === undefined ? [] : findStatedRules(said.raw_snippet ?? said.summary)
    return rules.length > 0 && rules.every(({ text }) => stands(text)) // a model rewords the statement
  }
}

/** Each as written, and as a memory would state it. */
function readRules(root: string, home: string, now: Date): Set<string> {
  if (!existsSync(root)) return new Set()
  const { entries } = readStore(findStore(root, home), now, ({ source }) => source === "decisions")
  const inForce = entries.filter(({ entry, supersededBy }) => entry.type === "directive" && supersededBy.length === 0)
  const texts = inForce.flatMap(({ entry }) => [entry.title, entry.summary ?? "", entry.details ?? ""])
  const rules = texts.flatMap((text) => [text, ...findStatedRules(text).map((rule) => rule.text)])
  return new Set(rules.map(normalizeText).filter((rule) => rule !== ""))
}
