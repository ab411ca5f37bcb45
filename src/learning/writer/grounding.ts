import { differenceOf, turnsAround } from "../../formats/text-difference.ts"
import { clearText } from "../../governance/cleared.ts"
import { type EpisodeEvent, type Frustration, frustrations } from "../../memories/episode.ts"
import type { NewText, Operation, ProposedEvidence, WriterInput } from "../../memories/writer.ts"
import { findQuote, type QuotedEvent, textsOf } from "./quotes.ts"
import { contentWords, isSaid, readsLikeInstruction, sentencesOf } from "./sentences.ts"

/**
 * Checks each operation's claim against the episode. An operation whose quote is not there is refused. A text counts as
 * the user's only if it quotes and repeats the user's words, and as a success only if one was found; all else is an
 * inference. A demand from a tool's output never becomes a memory, and a guard needs the user's words or a failure that
 * frustrated them. Trust relative to known memories is up to the store.
 */
export function groundOperations(
  operations: readonly Operation[],
  input: WriterInput,
): { operations: Operation[]; dropped: string[] } {
  const grounded: Operation[] = []
  const dropped: string[] = []
  const quotes = new Map<string, number>()
  let inferences = 0
  for (const operation of operations) {
    const result = groundOperation(operation, input, quotes)
    if (typeof result === "string") dropped.push(`${operation.op}: ${result}`)
    else if (!isUsers(result.evidence) && result.op !== "DEPRECATE" && ++inferences > input.mostMemories)
      dropped.push(`${operation.op}: over the limit of ${input.mostMemories} that the user did not state`)
    else grounded.push(result)
  }
  return { operations: grounded, dropped }
}

type Ending = Extract<Operation, { op: "DEPRECATE" }>
type Texted = Exclude<Operation, { op: "DEPRECATE" }>

/** One passage states one thing, perhaps two; more are variations of it. */
const mostPerQuote = 2

/** A string is the reason why it is refused. */
function groundOperation(operation: Operation, input: WriterInput, quotes: Map<string, number>): Operation | string {
  const { quote = "", event } = operation.evidence
  const quoted = quote === "" ? undefined : findQuote(quote, event, input.episode.events)
  if (quote !== "" && quoted === undefined) return "its quote is not in the episode"
  const used = quotes.get(quote) ?? 0
  if (quote !== "" && used === mostPerQuote) return `over the limit of ${mostPerQuote} for the same quote`
  quotes.set(quote, used + 1)
  return operation.op === "DEPRECATE" ? groundEnding(operation, quoted, input) : groundText(operation, quoted, input)
}

function groundEnding(ending: Ending, quoted: QuotedEvent | undefined, input: WriterInput): Operation | string {
  const known = input.known.find(({ id }) => id === ending.target)
  if (known === undefined) return "the memory is not known"
  const isSpoken = quoted !== undefined && isSaid(quoted.event)
  if (isSpoken && restates(quoted, ending.evidence.quote ?? "", known.text)) return "its quote repeats that memory"
  const spoken = isSpoken && concerns(known.text, quoted, input) ? spokenIn(quoted, ending.evidence, input) : undefined
  const backing = spoken ?? findSuccessBehind(known.text, input)
  const mention = backing?.event ?? findMention(known.text, input)
  if (mention === undefined) return "nothing in the episode contradicts that memory"
  return { ...ending, evidence: evidenceOf(ending.evidence, backing ?? { event: mention }, input) }
}

/** The same statement, which ends nothing: "never push to main, push to develop!" */
function restates({ event }: QuotedEvent, quote: string, text: string): boolean {
  const words = contentWords(text)
  const same = passagesLike(words, event).filter((passage) => likeness(words, contentWords(passage)) >= half)
  return !endsIt.test(quote) && same.some((passage) => !differenceOf(passage, text).contradicts)
}

/** "It is fine to push to main from now on", "we no longer use pnpm", "pnpm is gone". */
const endsIt =
  /\b(?:no longer|any ?more|not .{0,30}anymore|instead of|moved|switched|migrated|replaced|dropped|removed|gone|fine to|ok(?:ay)? to|may now|can now|allowed|stop(?:ped)? (?:using|doing)|nicht mehr|umgestiegen|ya no|ne .{0,30} plus|não .{0,30} mais)\b|不再|もう/iu

/** Whether a message is about a memory: it shares a word with it, or is a rule or a correction itself. */
function concerns(text: string, { event, index }: QuotedEvent, { findings }: WriterInput): boolean {
  const words = wordsOf(event)
  if ([...contentWords(text)].some((word) => words.has(word))) return true
  return findings.some((finding) => finding.kind !== "failure_then_success" && finding.event === index)
}

function groundText(operation: Texted, quoted: QuotedEvent | undefined, input: WriterInput): Operation | string {
  if (repeatsToolDemand(operation.text, input.episode.events)) return "it repeats a demand from a tool's output"
  const claimed = operation.evidence
  const backing = quoted && backingOf(operation, quoted, input)
  const evidence = evidenceOf(claimed, backing ?? (quoted ? { event: quoted.index } : {}), input)
  return {
    ...operation,
    evidence,
    ...(mayWarn(evidence, operation, quoted) ? {} : withoutWarning(operation)),
    ...(quoted === undefined || quoted.event.role === "assistant" ? asGuess(operation) : {}),
  }
}

const mostGuessed = 0.5

/** Nothing shows it, or only what an assistant claimed. */
function asGuess({ confidence, tier }: NewText): Partial<NewText> {
  return { confidence: Math.min(confidence, mostGuessed), ...(tier === "long_term" && { tier: "short_term" }) }
}

/** The evidence for a claim that quotes an event; undefined when that does not show it. */
function backingOf(operation: Texted, quoted: QuotedEvent, input: WriterInput): Backing | undefined {
  const { source } = operation.evidence
  if (source === "pattern_observed") return undefined
  if (source === "failure_then_success") return findSuccessBehind(operation.text, input)
  if (source === "guard_triggered") {
    const guard = input.known.find(
      ({ id, kind }) => operation.op === "UPDATE" && id === operation.target && kind === "guard",
    )
    const isSame = likeness(contentWords(guard?.text ?? ""), contentWords(operation.text)) >= half
    return isSame ? { source, event: quoted.index } : undefined
  }
  if (!isSaid(quoted.event) || !repeats(operation.text, quoted, input)) return undefined
  return isOpposite(operation.text, quoted.event) ? undefined : spokenIn(quoted, operation.evidence, input)
}

/**
 * Whether a text says what the user said: at least half of its words are the user's, or name what was run and changed,
 * and at least one is in the quoted message.
 */
function repeats(text: string, { event }: QuotedEvent, { episode }: WriterInput): boolean {
  const words = contentWords(text)
  const theirs = episode.events.flatMap((each) => (isSaid(each) ? [...wordsOf(each)] : [...namesIn(each)]))
  const said = wordsOf(event)
  return likeness(words, new Set(theirs)) >= half && [...words].some((word) => said.has(word))
}

function namesIn({ command = "", file = "" }: EpisodeEvent): Set<string> {
  return contentWords(`${command} ${file}`)
}

/** Compared with whole sentences and clauses: a quote may leave out the "never". */
function isOpposite(text: string, event: EpisodeEvent): boolean {
  return passagesLike(contentWords(text), event).every((passage) => turnsAround(passage, text))
}

function spokenIn({ index }: QuotedEvent, claimed: ProposedEvidence, { findings }: WriterInput): Backing {
  const found = findings.find((finding) => finding.kind === "user_correction" && finding.event === index)
  const isCorrection = found !== undefined || claimed.source === "user_correction"
  return { source: isCorrection ? "user_correction" : "explicit_statement", event: index }
}

function evidenceOf(claimed: ProposedEvidence, shown: Partial<Backing>, { episode }: WriterInput): ProposedEvidence {
  const { quote } = claimed
  const frustration = lower(claimed.frustration, episode.stats.user_frustration)
  return { source: "pattern_observed", frustration, ...shown, ...(quote !== undefined && { quote }) }
}

function isUsers({ source }: ProposedEvidence): boolean {
  return source === "explicit_statement" || source === "user_correction"
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

/** Guards and emergency memories require the right to warn: what the user forbade, or a failure that made them angry. */
function mayWarn(
  { source, frustration, quote = "" }: ProposedEvidence,
  { kind }: NewText,
  quoted?: QuotedEvent,
): boolean {
  if (source === "failure_then_success") return rank(frustration) >= rank("moderate")
  if (source === "pattern_observed") return false
  return (
    source === "guard_triggered" ||
    kind !== "guard" ||
    quoted?.event.statement === "never" ||
    negation.test(quote) ||
    asksFirst.test(quote)
  )
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

/** In several languages: "never", "don't", "not". */
const negation =
  /(?<![\p{L}\p{N}_])(?:never|not?|don['’]?t|do not|does ?n['’]?t|must ?n['’]?t|can['’]?t|cannot|avoid|stop|without|instead|rather|nicht|nie(?:mals)?|kein\p{L}{0,2}|ohne|nunca|jamás|evita|sin|pas|jamais|sans|évite[rz]?|não|sem)(?![\p{L}\p{N}_])|不|别|別|勿|禁止|ない|しないで/iu

/** A guard may also be what the agent has to ask for. */
const asksFirst = /\bask\b.{0,60}\b(?:before|first)\b|\bbefore\b.{0,60}\bask\b|\bconfirm\b.{0,60}\bbefore\b/i

/**
 * The sentence with the most of these words, and every clause with most of them: "never deploy on Fridays, use podman
 * to deploy".
 */
function passagesLike(words: ReadonlySet<string>, event: EpisodeEvent): string[] {
  const shared = (passage: string) => [...contentWords(passage)].filter((word) => words.has(word)).length
  const sentences = sentencesOf(event.words ?? textOf(event))
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
  return contentWords(textsOf(event).join(" "))
}

function textOf({ summary, words = summary, raw_snippet = "" }: EpisodeEvent): string {
  return `${words}\n${raw_snippet}`
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
