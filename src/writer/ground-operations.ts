import { type EpisodeEvent, type Frustration, frustrations } from "../episodes/episode.ts"
import { contentWords } from "./content-words.ts"
import {
  type Backing,
  findMention,
  findSuccessBehind,
  findWordsAgainst,
  findWordsBehind,
  half,
  likeness,
  textOf,
  wordsOf,
} from "./find-backing.ts"
import { isSaid } from "./is-said.ts"
import { readsLikeInstruction } from "./reads-like-instruction.ts"
import type { NewText, Operation, ProposedEvidence, WriterInput } from "./writer.ts"

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
