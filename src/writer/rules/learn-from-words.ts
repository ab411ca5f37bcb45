import type { Episode, EpisodeEvent, Finding } from "../../episodes/episode.ts"
import type { StatementKind } from "../../episodes/words/statements.ts"
import { chooseKey } from "./choose-key.ts"
import { findStatedRules } from "./find-stated-rules.ts"
import { forbidsHarm } from "./forbids-harm.ts"
import type { Lesson } from "./lesson.ts"
import { sentencesOf } from "./sentences-of.ts"
import { type StatedRule, stateRule } from "./state-rule.ts"

type Said = Extract<Finding, { kind: "explicit_statement" | "user_correction" }>

/** The rules that the user stated, or a correction that applies beyond this task; nothing for all other corrections. */
export function learnFromWords(finding: Said, episode: Pick<Episode, "events">): Lesson[] {
  const event = episode.events[finding.event]
  if (event === undefined) return []
  return rulesIn(event, finding).map((rule) => toLesson(rule, finding, episode))
}

type Rule = StatedRule & { kind?: StatementKind }

/**
 * The statements of a message, or the first rule in a correction; statements in a correction are a separate finding.
 */
function rulesIn({ raw_snippet, summary, statement }: EpisodeEvent, finding: Said): Rule[] {
  const words = raw_snippet ?? summary
  if (finding.kind === "explicit_statement") return findStatedRules(words)
  if (statement !== undefined) return []
  return sentencesOf(words)
    .flatMap((sentence) => stateRule(sentence, undefined) ?? [])
    .slice(0, 1)
}

function toLesson(rule: Rule, finding: Said, { events }: Pick<Episode, "events">): Lesson {
  const { text, kind } = rule
  const isStatement = finding.kind === "explicit_statement"
  const isTaste = /^The user\b/.test(text) || kind === "preference"
  const key = chooseKey(text, isTaste)
  const isAgainst = kind === "never" || prohibition.test(text)
  const isProjects = key !== undefined || /\bthis project\b/i.test(text)
  const isGuard = isAgainst && isStatement && forbidsHarm(text)
  const pathPrefix = folderOf(text, events)
  return {
    kind: isGuard ? "guard" : isTaste || !(isStatement || isProjects) ? "preference" : "invariant",
    tier: isGuard ? "emergency" : isStatement ? "long_term" : "short_term",
    polarity: isAgainst ? -1 : 1,
    text,
    confidence: confidenceOf(rule, isStatement),
    evidence: {
      source: finding.kind,
      frustration: events[finding.event]?.frustration ?? "none",
      event: finding.event,
    },
    ...(isStatement && { ttlDays: null }), // it applies until it is withdrawn or fails to help
    ...(key !== undefined && { key }),
    ...(pathPrefix !== undefined && { pathPrefix }),
  }
}

const prohibition = /^(?:never|don't|do not|avoid|stop|no)\b|\b(?:does not|must not|never|we (?:don't|do not))\b/i

function confidenceOf({ certainty }: StatedRule, isStatement: boolean): number {
  if (certainty === "likely") return 0.55 // stored, and handed out once it was said a second time
  return certainty === "told" ? 0.8 : isStatement ? 0.9 : 0.7
}

/** A folder named in the rule that contains every edited file. */
function folderOf(rule: string, events: readonly EpisodeEvent[]): string | undefined {
  const edited = events.flatMap(({ action, file }) => (action === "edit" && file !== undefined ? [file] : []))
  const [named] =
    rule.match(/(?<![\w/.])[\w@.-]+(?:\/[\w@.-]+)+\/?/) ??
    rule.match(/(?<=\b(?:in|under|inside|within) (?:the )?`?)[\w-]+(?=`?(?: (?:folder|directory|package)\b|\/))/i) ??
    []
  const folder = named?.replace(/[/.]+$/, "")
  if (folder === undefined || folder.includes("..") || edited.length === 0) return undefined
  return edited.every((file) => file.startsWith(`${folder}/`)) ? folder : undefined
}
