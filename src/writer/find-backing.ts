import type { EpisodeEvent, Finding } from "../episodes/episode.ts"
import { differenceOf } from "../formats/difference-of.ts"
import { contentWords } from "./content-words.ts"
import { isSaid } from "./is-said.ts"
import { sentencesOf } from "./rules/sentences-of.ts"
import type { NewText, ProposedEvidence, WriterInput } from "./writer.ts"

export type Backing = Required<Pick<ProposedEvidence, "source" | "event">>

type Spoken = Extract<Finding, { kind: "explicit_statement" | "user_correction" }>

/**
 * The user's rule or correction behind a text: found by the episode's signals, sharing most of the text's words, and
 * not its opposite. Of two equal ones, the cited one.
 */
export function findWordsBehind(
  { text, kind, polarity }: Pick<NewText, "text" | "kind" | "polarity">,
  claimed: ProposedEvidence,
  input: WriterInput,
): Backing | undefined {
  const isWarning = kind === "guard" || polarity === -1
  return bestSpoken(contentWords(text), claimed, input, (event, passages) =>
    passages.some(
      (passage) =>
        (!isWarning || event.statement === "never" || negation.test(passage)) &&
        !differenceOf(passage, text).contradicts,
    ),
  )
}

/** The user's rule or correction that ends a memory: one on the same subject. Repeating a warning does not end it. */
export function findWordsAgainst(
  { text, kind }: { text: string; kind: NewText["kind"] },
  claimed: ProposedEvidence,
  input: WriterInput,
): Backing | undefined {
  return bestSpoken(
    contentWords(text),
    claimed,
    input,
    (_, passages) => kind !== "guard" || passages.every((passage) => differenceOf(passage, text).contradicts),
  )
}

/** In several languages: "never", "don't", "not". */
const negation =
  /(?<![\p{L}\p{N}_])(?:never|not?|don['’]?t|do not|does ?n['’]?t|must ?n['’]?t|can['’]?t|cannot|avoid|stop|without|instead|rather|nicht|nie(?:mals)?|kein\p{L}{0,2}|ohne|nunca|jamás|evita|sin|pas|jamais|sans|évite[rz]?|não|sem)(?![\p{L}\p{N}_])|不|别|別|勿|禁止|ない|しないで/iu

function bestSpoken(
  words: ReadonlySet<string>,
  claimed: ProposedEvidence,
  { episode, findings }: WriterInput,
  agrees: (event: EpisodeEvent, passages: readonly string[]) => boolean,
): Backing | undefined {
  const [best] = findings
    .filter((finding): finding is Spoken => finding.kind !== "failure_then_success")
    .flatMap(({ kind, event: index }) => {
      const event = episode.events[index]
      if (event === undefined || !isSaid(event)) return []
      const score = likeness(words, wordsOf(event))
      if (score <= half || !agrees(event, passagesLike(words, event))) return []
      return [{ source: kind, event: index, score: score + Number(kind === claimed.source) / 1e3 }]
    })
    .sort(
      (one, other) =>
        other.score - one.score || Number(other.event === claimed.event) - Number(one.event === claimed.event),
    )
  return best && { source: best.source, event: best.event }
}

/**
 * The sentence with the most of these words, and every clause with most of them: "never deploy on Fridays, use podman
 * to deploy".
 */
function passagesLike(words: ReadonlySet<string>, event: EpisodeEvent): string[] {
  const shared = (passage: string) => [...contentWords(passage)].filter((word) => words.has(word)).length
  const sentences = sentencesOf(textOf(event))
  const [sentence = ""] = sentences.toSorted((one, other) => shared(other) - shared(one))
  const clauses = sentences.flatMap((each) => each.split(/[,;—–]\s/))
  return [sentence, ...clauses.filter((clause) => likeness(words, contentWords(clause)) > half)]
}

/** The solved failure that a text describes: it names what failed, how it failed, or the command that worked. */
export function findSuccessBehind(text: string, { episode, findings }: WriterInput): Backing | undefined {
  const words = contentWords(text)
  for (const finding of findings) {
    if (finding.kind !== "failure_then_success") continue
    const names = [finding.head, episode.events[finding.success]?.command ?? ""]
    const isNamed = names.some((name) => containsName(text, name))
    const isError = likeness(contentWords(finding.fingerprint ?? ""), words) >= half
    if (isNamed || isError) return { source: finding.kind, event: finding.failures[0] ?? finding.success }
  }
  return undefined
}

function containsName(text: string, name: string): boolean {
  const [within, wanted] = [` ${plain(text)} `, plain(name)]
  return wanted !== "" && within.includes(` ${wanted} `)
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_.@/-]+|[.](?=\s|$)/gu, " ")
    .trim()
}

/** A user's message on the same subject, whether or not it was recognised as a rule. */
export function findMention(text: string, { episode }: WriterInput): number | undefined {
  const words = contentWords(text)
  const index = episode.events.findIndex((event) => isSaid(event) && likeness(words, wordsOf(event)) >= half)
  return index === -1 ? undefined : index
}

export const half = 0.5

/** The share of words that are among others; at least two of them. */
export function likeness(words: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...words].filter((word) => other.has(word)).length
  return words.size === 0 || shared < Math.min(2, words.size) ? 0 : shared / words.size
}

export function wordsOf(event: EpisodeEvent): Set<string> {
  return contentWords(`${textOf(event)} ${event.command ?? ""} ${event.file ?? ""}`)
}

export function textOf({ summary, raw_snippet = "" }: EpisodeEvent): string {
  return `${summary}\n${raw_snippet}`
}
