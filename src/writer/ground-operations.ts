import { type EpisodeEvent, type Frustration, frustrations } from "../episodes/episode.ts"
import { contentWords } from "./content-words.ts"
import { readsLikeInstruction } from "./reads-like-instruction.ts"
import type { NewText, Operation, WriterInput } from "./writer.ts"

/**
 * Holds each operation's claim against the episode. Words are a person's only where a person's message has them, a success only where one
 * was found. What repeats a demand of a tool's output is dropped; a guard needs a person behind it or a failure that made one angry; and
 * what nobody said and no run proved ends or replaces no rule.
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

/** A string tells why it is dropped. */
function groundEnding(ending: Ending, input: WriterInput): Operation | string {
  const known = input.known.find(({ id }) => id === ending.target)
  const words = contentWords(`${known?.text ?? ""} ${known?.key ?? ""}`)
  const isBorneOut = personBehind(words, undefined, input) ?? successBehind(words, input)
  return isBorneOut === undefined ? "nothing that was said or proved speaks against that memory" : ending
}

function groundText(operation: Texted, input: WriterInput): Operation | string {
  if (repeatsToolDemand(operation.text, input.episode.events)) return "it repeats a demand from a tool's output"
  const evidence = groundEvidence(operation, input)
  const grounded = { ...operation, evidence, ...(mayWarn(evidence) ? {} : withoutWarning(operation)) }
  return evidence.source === "pattern_observed" ? replacingNoRule(grounded, input) : grounded
}

function groundEvidence(operation: Texted, input: WriterInput): NewText["evidence"] {
  const { source, event } = operation.evidence
  const frustration = lower(operation.evidence.frustration, input.episode.stats.user_frustration)
  const shown = eventBehind(operation, input)
  if (shown !== undefined) return { source, frustration, event: shown }
  return {
    source: "pattern_observed",
    frustration,
    ...(source === "pattern_observed" && event !== undefined && { event }),
  }
}

/** The event that bears a claim out, undefined when none does. */
function eventBehind(operation: Texted, input: WriterInput): number | undefined {
  const words = contentWords(operation.text)
  const { source, event } = operation.evidence
  if (source === "explicit_statement" || source === "user_correction") return personBehind(words, event, input)
  if (source === "failure_then_success") return successBehind(words, input)
  if (source === "guard_triggered" && operation.op === "UPDATE") {
    const isGuard = input.known.some(({ id, kind }) => id === operation.target && kind === "guard")
    return isGuard ? event : undefined
  }
  return undefined
}

/** The message of a person that the words come from; of two alike the one that was named. */
function personBehind(words: ReadonlySet<string>, named: number | undefined, input: WriterInput): number | undefined {
  const [best] = input.episode.events
    .map((event, index) => ({ index, score: isSaid(event) ? likeness(words, wordsOf(event)) : 0 }))
    .filter(({ score }) => score >= leastLikeness)
    .sort((one, other) => other.score - one.score || Number(other.index === named) - Number(one.index === named))
  return best?.index
}

/** The success that ended failures of which the words speak. */
function successBehind(words: ReadonlySet<string>, input: WriterInput): number | undefined {
  const { events } = input.episode
  return input.findings
    .filter((finding) => finding.kind === "failure_then_success")
    .find(({ failures, success, edits }) =>
      [...failures, success, ...edits].some((index) => sharesWord(words, wordsOf(events[index]))),
    )?.success
}

/** A third of a memory's words, and at least two, make a message its source. */
const leastLikeness = 1 / 3

function likeness(words: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...words].filter((word) => other.has(word)).length
  return shared < Math.min(2, words.size) ? 0 : shared / words.size
}

/** Whether most of what the memory says, beyond the person's own words, stands in a tool's output that makes demands. */
function repeatsToolDemand(text: string, events: readonly EpisodeEvent[]): boolean {
  const said = new Set(events.filter(isSaid).flatMap((event) => [...wordsOf(event)]))
  const foreign = new Set([...contentWords(text)].filter((word) => !said.has(word)))
  if (foreign.size < 2) return false
  return events.some(
    (event) => event.role === "tool" && readsLikeInstruction(textOf(event)) && likeness(foreign, wordsOf(event)) >= 0.5,
  )
}

/** Guards, and what is handed out like one, are for those who may warn. */
function mayWarn({ source, frustration }: NewText["evidence"]): boolean {
  if (source === "failure_then_success") return rank(frustration) >= rank("moderate")
  return source !== "pattern_observed"
}

function withoutWarning({ kind, tier }: NewText): Partial<NewText> {
  return {
    ...(kind === "guard" && { kind: "pattern", polarity: -1 }),
    ...(tier === "emergency" && { tier: "short_term" }),
  }
}

/** An observation may put a note or a pattern better; beside a rule it stands as a memory of its own, without the rule's key. */
function replacingNoRule(operation: Texted, input: WriterInput): Operation {
  const rules = input.known.filter(({ kind }) => kind !== "note" && kind !== "pattern")
  const takesKey = rules.some(({ key }) => key !== undefined && key === operation.key)
  const takesPlace = operation.op === "UPDATE" && rules.some(({ id }) => id === operation.target)
  if (!takesKey && !takesPlace) return operation
  const { target: _, key, ...text } = { target: undefined, ...operation }
  return { ...text, op: "ADD", ...(key !== undefined && !takesKey && { key }) }
}

function isSaid(event: EpisodeEvent): boolean {
  return event.role === "user" && event.kind === "message"
}

function sharesWord(words: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...words].some((word) => other.has(word))
}

function wordsOf(event: EpisodeEvent | undefined): Set<string> {
  return contentWords(event === undefined ? "" : `${textOf(event)} ${event.command ?? ""} ${event.file ?? ""}`)
}

function textOf({ summary, raw_snippet = "" }: EpisodeEvent): string {
  return `${summary}\n${raw_snippet}`
}

function lower(one: Frustration, other: Frustration): Frustration {
  return rank(one) < rank(other) ? one : other
}

function rank(frustration: Frustration): number {
  return frustrations.indexOf(frustration)
}
