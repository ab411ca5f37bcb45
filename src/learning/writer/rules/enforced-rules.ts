import { splitCommand } from "../../../formats/shell-command.ts"
import type { EpisodeEvent } from "../../../memories/episode.ts"
import { headOf } from "../../episodes/command-head.ts"
import { isFailure } from "../../episodes/episode-stats.ts"
import { readsLikeInstruction } from "../sentences.ts"
import type { Suggestion } from "./failure-lessons.ts"

/**
 * Rules of the project's linters that code broke and that were then repaired by hand. One that says how to write is worth knowing after one
 * session; what else a linter finds only if it keeps happening, since most of it are slips.
 */
export function enforcedRules(events: readonly EpisodeEvent[]): Suggestion[] {
  return events.flatMap((event, at): Suggestion[] => {
    if (!isFailure(event) || event.rules === undefined) return []
    const { head, fingerprint } = event
    const check = checkOf(event)
    return event.rules.flatMap((broken): Suggestion[] => {
      const [rule = "", message = ""] = split(broken)
      if (slips.test(`${rule} ${message}`) || readsLikeInstruction(message)) return []
      const sessions = advises.test(message) && isRepaired(events, at, rule) ? 1 : 3
      const stem = `enforces the rule ${rule}`
      const text = `\`${check}\` ${stem}: "${message.replace(/["`]/g, "'").replace(/[.:\s]+$/, "")}".`
      return [{ key: `rule ${rule}`, sessions, stem, event: at, head, fingerprint, text }]
    })
  })
}

/** `noVar: Use let …`, without what it was about this time. */
function split(broken: string): [rule: string, message: string] {
  const at = broken.indexOf(": ")
  const message = broken
    .slice(at + 2)
    .replace(/ \[(?:Context|Expected|Actual):.*$| in (?:function )?[`'"]?\w+[`'"]?\.?$/, "")
  return [broken.slice(0, at), message]
}

/** Files were edited, and the next run of this check or another one does not name the rule any more. */
function isRepaired(events: readonly EpisodeEvent[], failure: number, rule: string): boolean {
  const check = checkOf(events[failure])
  const later = events.slice(failure + 1).filter(({ kind }) => kind === "tool_result")
  const edit = later.findIndex((event) => event.action === "edit" && !isFailure(event))
  const next =
    edit === -1
      ? undefined
      : later
          .slice(edit)
          .find((event) => event.rules || checkOf(event).startsWith(check) || check.startsWith(checkOf(event)))
  return next !== undefined && !next.rules?.some((each) => each.startsWith(`${rule}: `))
}

/** What looks at the code, in a line that may do other things before; `bun run lint:fix` looks at what `bun run lint` does. */
function checkOf(event: EpisodeEvent | undefined): string {
  const heads = splitCommand(event?.command ?? "").map(({ words }) => headOf(words) ?? "")
  return heads.find((head) => checks.test(head)) ?? event?.head ?? "?"
}

const checks = /\b(?:lint|check(?!out)|biome|eslint|ruff|clippy|golangci-lint|pylint|rubocop|markdownlint)/i

/** The message says what to write, or not to write, whatever the code is about. */
const advises =
  /^(?:avoid|do not|don't|never|use|prefer|always)\b|\binstead\b|\b(?:must not|should not|must be|should be|could be replaced|can be replaced|not be called|not allowed|forbidden|unexpected empty)\b/i

/** Unfinished code, and what a formatter does: nobody plans it. */
const slips =
  /unused|never (?:used|read|reassigned)|undeclared|undefined|not defined|not checked|dependenc|format|whitespace|indent|too long|newline|semicolon|sort|suppress|syntax|parse|typecheck|unreachable|duplicate|spell/i
