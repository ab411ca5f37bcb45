import type { Episode, EpisodeEvent, Finding } from "../../episodes/episode.ts"
import { chooseKey } from "./choose-key.ts"
import type { Lesson } from "./lesson.ts"
import { sentencesOf, stateRule } from "./state-rule.ts"

/** A rule that a person stated, or a correction in words that hold beyond this task; undefined for all other corrections. */
export function learnFromWords(
  finding: Extract<Finding, { kind: "explicit_statement" | "user_correction" }>,
  episode: Episode,
): Lesson | undefined {
  const event = episode.events[finding.event]
  if (event === undefined) return undefined
  const isStatement = finding.kind === "explicit_statement"
  const stated = sentencesOf(event.raw_snippet ?? event.summary)
    .map((sentence) => stateRule(sentence, event.statement !== undefined))
    .find((rule) => rule !== undefined)
  if (stated === undefined) return undefined
  const { text, certainty } = stated
  const isTaste = /^The user\b/.test(text) || event.statement === "preference"
  const key = chooseKey(text, isTaste)
  const isAgainst =
    event.statement === "never" || /^(?:never|don't|do not|avoid|stop|no)\b|\b(?:does not|must not|never)\b/i.test(text)
  const isProjects = key !== undefined || /\bthis project\b/i.test(text)
  const isGuard = isAgainst && isStatement && harm.test(text)
  const pathPrefix = folderOf(text, episode.events)
  return {
    kind: isGuard ? "guard" : isTaste || !(isStatement || isProjects) ? "preference" : "invariant",
    tier: isGuard ? "emergency" : isStatement ? "long_term" : "short_term",
    polarity: isAgainst ? -1 : 1,
    text,
    confidence: certainty === "likely" ? unsure : isStatement ? 0.9 : 0.7,
    evidence: { source: finding.kind, frustration: event.frustration ?? "none", event: finding.event },
    ...(key !== undefined && { key }),
    ...(pathPrefix !== undefined && { pathPrefix }),
  }
}

/** Kept, and handed out once it was said a second time. */
const unsure = 0.55

/** What cannot be taken back. */
const harm =
  /\b(?:delet|drop|wip|eras|destroy|overwrit|truncat|push|force|publish|deploy|releas|production|prod\b|main\b|master\b|secrets?|credentials?|passwords?|customers?|payments?|reset|rm -|terraform|kubectl)/i

/** A folder that the rule names and that holds every file that was edited. */
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
