import type { EpisodeEvent } from "../../memories/episode.ts"
import { lowerCase, phrases } from "../languages/phrases.ts"
import { marks } from "./marks.ts"

export type StatementKind = NonNullable<EpisodeEvent["statement"]>

/** What a lasting sentence does: forbid, state a taste, demand, or say how things are. */
export function statementKindOf(sentence: string): StatementKind {
  const plain = lowerCase(sentence).trim()
  const has = (label: keyof typeof marks) => marks[label]?.some((pattern) => pattern.test(plain)) === true
  if (plain.search(never) !== -1 || forbids.test(plain)) return "never"
  if (plain.search(preference) !== -1 || has("taste")) return "preference"
  if (plain.search(remember) !== -1) return "remember"
  return plain.search(always) !== -1 || everyTime.test(plain) || has("must") || has("every") || commands.test(plain)
    ? "always"
    : "fact"
}

const never = phrases(({ statements }) => statements.never)
const always = phrases(({ statements }) => statements.always)
const preference = phrases(({ statements }) => statements.preference)
const remember = phrases(({ statements }) => statements.remember, "first")

/** Begins with, or comes to, a prohibition. */
const forbids =
  /(?:^|[,;:] |\b(?:please|so|and|but|you|we|bitte) )(?:don't|do not|dont|never|avoid|stop|no(?! longer)|keine?[nrm]?|nie|niemals|ne|n'|pas de|no|nunca|não|sem|sin|non|geen)(?![\p{L}])|\b(?:must|may|should|can)(?: not|n't)\b|\bis (?:forbidden|not allowed)\b|\bdürfen (?:nie|nicht)|不要|不能|不得|禁止|别|勿|ないで|しないこと|마세요/u

/** In some languages the word alone is too common to open an explicit rule. */
const everyTime = /(?<!\p{L})(?:toujours|siempre|sempre|immer|altijd)(?!\p{L})|总是|始终|總是|いつも|常に/u

const commands =
  /^(?:(?:please|pls|always|bitte|immer) )?(?:(?:use|keep|prefer|run|write|put|ask|make|add|update|check|wrap|return|pass|log|verwende|nutze|benutze|schreib|utilise|usa|escribe|écris)(?!\p{L})|用|请)/u
