import { differenceOf } from "../../formats/text-difference.ts"
import { clearText } from "../../governance/cleared.ts"
import { type EpisodeEvent, type EpisodeFinding, type Frustration, frustrations } from "../../memories/episode.ts"
import type { NewText, Operation, ProposedEvidence, WriterInput } from "../../memories/writer.ts"
import { contentWords, isSaid, readsLikeInstruction, sentencesOf } from "./sentences.ts"

/**
 * Checks each operation's claim against the episode. A text counts as the user's only if a matching rule or correction
 * was found, and as a success only if one was found; all else is an observation. Repeated demands from a tool's output
 * are dropped, and a guard needs the user's words or a failure that frustrated them. Trust relative to known memories
 * is up to the store.
 */
export function groundOperations(
  operations: readonly Operation[],
  input: WriterInput,
): { operations: Operation[]; dropped: string[] } {
  const grounded: Operation[] = []
  const dropped: string[] = []
  for (const operation of operations) {
    const result = operation.op === "DEPRECATE" ? groundEnding(operation, input) : groundText(operation, input)
    if (typeof result === "string") dropped.push(`${operation.op}: ${result}`)
    else grounded.push(result)
  }
  return { operations: grounded, dropped }
}

type Ending = Extract<Operation, { op: "DEPRECATE" }>
type Texted = Exclude<Operation, { op: "DEPRECATE" }>

/** A string is the reason why it is dropped. */
function groundEnding(ending: Ending, input: WriterInput): Operation | string {
  const known = input.known.find(({ id }) => id === ending.target)
  if (known === undefined) return "the memory is not known"
  const backing = findWordsAgainst(known, ending.evidence, input) ?? findSuccessBehind(known.text, input)
  const mention = backing?.event ?? findMention(known.text, input)
  if (mention === undefined) return "nothing in the episode contradicts that memory"
  return { ...ending, evidence: evidenceOf(ending.evidence, backing ?? { event: mention }, input) }
}

function groundText(operation: Texted, input: WriterInput): Operation | string {
  if (repeatsToolDemand(operation.text, input.episode.events)) return "it repeats a demand from a tool's output"
  const claimed = operation.evidence
  const evidence = evidenceOf(claimed, backingOf(operation, input) ?? observed(claimed), input)
  return { ...operation, evidence, ...(mayWarn(evidence) ? {} : withoutWarning(operation)) }
}

/** The evidence for a claim; undefined without any. */
function backingOf(operation: Texted, input: WriterInput): Backing | undefined {
  const { source, event } = operation.evidence
  if (source === "explicit_statement" || source === "user_correction")
    return findWordsBehind(operation, operation.evidence, input)
  if (source === "failure_then_success") return findSuccessBehind(operation.text, input)
  if (source === "guard_triggered" && operation.op === "UPDATE" && event !== undefined) {
    const guard = input.known.find(({ id, kind }) => id === operation.target && kind === "guard")
    const isSame = likeness(contentWords(guard?.text ?? ""), contentWords(operation.text)) >= half
    return isSame ? { source, event } : undefined
  }
  return undefined
}

/** An event cited for something else is not evidence. */
function observed({ source, event }: ProposedEvidence): Partial<Backing> {
  return source === "pattern_observed" && event !== undefined ? { event } : {}
}

function evidenceOf(claimed: ProposedEvidence, shown: Partial<Backing>, { episode }: WriterInput): ProposedEvidence {
  const frustration = lower(claimed.frustration, episode.stats.user_frustration)
  return { source: "pattern_observed", frustration, ...shown }
}

/** Whether most of the memory, beyond the user's own words, comes from a tool's output that makes demands. */
function repeatsToolDemand(text: string, events: readonly EpisodeEvent[]): boolean {
  const said = new Set(events.filter(isSaid).flatMap((event) => [...wordsOf(event)]))
  const foreign = new Set([...contentWords(text)].filter((word) => !said.has(word)))
  if (foreign.size < 2) return false
  return events.some(
    (event) =>
      event.role === "tool" && readsLikeInstruction(textOf(event)) && likeness(foreign, wordsOf(event)) >= half,
  )
}

/** Guards and emergency memories require the right to warn. */
function mayWarn({ source, frustration }: ProposedEvidence): boolean {
  if (source === "failure_then_success") return rank(frustration) >= rank("moderate")
  return source !== "pattern_observed"
}

function withoutWarning({ kind, tier }: NewText): Partial<NewText> {
  return {
    ...(kind === "guard" && { kind: "pattern", polarity: -1 }),
    ...(tier === "emergency" && { tier: "short_term" }),
  }
}

function lower(one: Frustration, other: Frustration): Frustration {
  return rank(one) < rank(other) ? one : other
}

function rank(frustration: Frustration): number {
  return frustrations.indexOf(frustration)
}

type Backing = Required<Pick<ProposedEvidence, "source" | "event">>

type Spoken = Extract<EpisodeFinding, { kind: "explicit_statement" | "user_correction" }>

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
function findMention(text: string, { episode }: WriterInput): number | undefined {
  const words = contentWords(text)
  const index = episode.events.findIndex((event) => isSaid(event) && likeness(words, wordsOf(event)) >= half)
  return index === -1 ? undefined : index
}

const half = 0.5

/** The share of words that are among others; at least two of them. */
function likeness(words: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...words].filter((word) => other.has(word)).length
  return words.size === 0 || shared < Math.min(2, words.size) ? 0 : shared / words.size
}

function wordsOf(event: EpisodeEvent): Set<string> {
  return contentWords(`${textOf(event)} ${event.command ?? ""} ${event.file ?? ""}`)
}

function textOf({ summary, raw_snippet = "" }: EpisodeEvent): string {
  return `${summary}\n${raw_snippet}`
}

/**
 * Passes every text of every operation through the governance check. A refused operation is dropped, with the rule's
 * name and never its text.
 */
export function clearOperations(operations: readonly Operation[]): { operations: Operation[]; dropped: string[] } {
  const cleared: Operation[] = []
  const dropped: string[] = []
  for (const operation of operations) {
    const result = clearOperation(operation)
    if (typeof result === "string") dropped.push(`${operation.op}: ${result}`)
    else cleared.push(result)
  }
  return { operations: cleared, dropped }
}

/** A string is the rule that refused it. */
function clearOperation(operation: Operation): Operation | string {
  if (operation.op === "DEPRECATE") {
    const reason = clearText(operation.reason)
    return reason.kind === "refused" ? reason.reason : { ...operation, reason: reason.text }
  }
  const { key, pathPrefix } = operation
  const text = clearText(operation.text)
  if (text.kind === "refused") return text.reason
  for (const name of [key, pathPrefix]) {
    const clearing = name === undefined ? undefined : clearText(name, "reject")
    if (clearing?.kind === "refused") return clearing.reason
  }
  return { ...operation, text: text.text }
}
