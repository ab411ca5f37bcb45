import { setTimeout as sleep } from "node:timers/promises"
import type { z } from "zod"
import { parseMemoryKey } from "../../formats/ids.ts"
import { isRecord } from "../../formats/objects.ts"
import { cleanMemoryText, clip, parsePathPrefix } from "../../formats/text.ts"
import type { NewText, Operation, ProposedEvidence, WriterAnswer, WriterInput } from "../../memories/writer.ts"
import { clearOperations, groundOperations } from "./grounding.ts"
import { stricterPrompt, type WriterPrompt, writerAnswerSchema, writerOperationSchema, writerPrompt } from "./prompt.ts"

/** The result of one call. */
export type ModelReply =
  | { kind: "text"; text: string; wasCutOff: boolean }
  /** Rate limit or overload: worth a retry after a while, or after the requested delay. */
  | { kind: "busy"; reason: string; waitMs?: number }
  | { kind: "down"; reason: string }
  | { kind: "refused"; reason: string }

/** One call to the model or command. `wasCutOff`: the previous answer was too long. */
export type AskModel = (prompt: WriterPrompt, wasCutOff: boolean) => Promise<ModelReply>

export type Wait = (milliseconds: number) => Promise<void>

/** Waits, unless cancelled; the next call then reports it. */
export function pauseUnless(signal: AbortSignal | undefined): Wait {
  return (milliseconds) => sleep(milliseconds, undefined, signal && { signal }).catch(() => undefined)
}

/**
 * Asks once, retries up to three times while the service is busy, and once more strictly after an unreadable answer.
 * The answer is parsed, grounded in the episode and passed through the governance check.
 */
export async function answerEpisode(
  input: WriterInput,
  ask: AskModel,
  { pause, onReply }: { pause: Wait; onReply?: ((printed: string) => void) | undefined },
): Promise<WriterAnswer> {
  const prompt = writerPrompt(input)
  const first = await askPatiently(() => ask(prompt, false), pause)
  if (first.kind !== "text") return giveUp(first)
  onReply?.(first.text)
  const read = readText(first.text, input)
  if (read.kind === "read") return settle(read, input)

  const trouble = first.wasCutOff ? "it was too long and was cut off" : read.reason
  const second = await askPatiently(() => ask(stricterPrompt(prompt, trouble), first.wasCutOff), pause)
  if (second.kind !== "text") return giveUp(second)
  onReply?.(second.text)
  const reread = readText(second.text, input, salvageAnswer)
  if (reread.kind === "read") return settle(reread, input)
  return { kind: "later", reason: `the answer could not be read, twice: ${reread.reason}` }
}

const mostTries = 3
const firstWaitMs = 2000
/** A longer requested delay waits for the next run. */
const longestWaitMs = 60_000

async function askPatiently(
  ask: () => Promise<ModelReply>,
  pause: Wait,
): Promise<Exclude<ModelReply, { kind: "busy" }>> {
  for (let tries = 1; ; tries++) {
    const reply = await ask()
    if (reply.kind !== "busy") return reply
    const waitMs = reply.waitMs ?? firstWaitMs * 3 ** (tries - 1)
    if (tries === mostTries || waitMs > longestWaitMs) return { kind: "down", reason: reply.reason }
    await pause(waitMs)
  }
}

function readText(text: string, input: WriterInput, salvage?: typeof salvageAnswer): ReadAnswer {
  const answer = findAnswer(text)
  if (answer === undefined) return { kind: "unusable", reason: "there is no JSON object with ops in it" }
  const read = readAnswer(answer, input)
  return read.kind === "unusable" && salvage ? salvage(answer, input) : read
}

function settle(read: Extract<ReadAnswer, { kind: "read" }>, input: WriterInput): WriterAnswer {
  const cleared = clearOperations(read.operations)
  const grounded = groundOperations(cleared.operations, input)
  const dropped = [...read.dropped, ...cleared.dropped, ...grounded.dropped]
  const { discardReason } = read
  return {
    kind: "written",
    operations: grounded.operations,
    dropped,
    ...(discardReason !== undefined && { discardReason }),
  }
}

function giveUp(reply: { kind: "down" | "refused"; reason: string }): WriterAnswer {
  return { kind: reply.kind === "refused" ? "refused" : "later", reason: reply.reason }
}

type ReadAnswer =
  | { kind: "read"; operations: Operation[]; discardReason?: string; dropped: string[] }
  | { kind: "unusable"; reason: string }

/**
 * Turns a model's answer into operations: resolves aliases, normalizes texts, and drops and reports what cannot be
 * used.
 */
export function readAnswer(answer: unknown, input: WriterInput): ReadAnswer {
  const parsed = writerAnswerSchema.safeParse(answer)
  if (!parsed.success) return { kind: "unusable", reason: whereItBreaks(parsed.error) }
  return readOperations(parsed.data.ops, parsed.data.discard_reason ?? undefined, input, [])
}

/** The same for a partly invalid second answer: keeps the operations that can be read. */
export function salvageAnswer(answer: Record<string, unknown>, input: WriterInput): ReadAnswer {
  const operations = Array.isArray(answer.ops) ? answer.ops.map((each) => writerOperationSchema.safeParse(each)) : []
  const read = operations.flatMap((each) => (each.success ? [each.data] : []))
  const dropped = operations.flatMap((each, index) =>
    each.success ? [] : [`operation ${index + 1}: ${whereItBreaks(each.error)}`],
  )
  if (read.length === 0) return { kind: "unusable", reason: dropped[0] ?? "no operations" }
  return readOperations(read, undefined, input, dropped)
}

type Proposed = z.infer<typeof writerOperationSchema>

/** No user states so much in one task; the limit for what they did not state is much lower. */
const mostOperations = 50

function readOperations(
  proposed: readonly Proposed[],
  discardReason: string | undefined,
  input: WriterInput,
  dropped: string[],
): ReadAnswer {
  const operations: Operation[] = []
  for (const [index, each] of proposed.entries()) {
    if (each.op === "IGNORE") continue
    const read = readOperation(each, input)
    if (typeof read === "string") dropped.push(`operation ${index + 1}: ${read}`)
    else if (operations.length === mostOperations)
      dropped.push(`operation ${index + 1}: over the limit of ${mostOperations}`)
    else operations.push(read)
  }
  const reason = discardReason === undefined ? "" : clip(cleanMemoryText(discardReason), 200)
  return { kind: "read", operations, dropped, ...(reason !== "" && { discardReason: reason }) }
}

/** A string is the reason why it cannot be used. */
function readOperation(proposed: Proposed, input: WriterInput): Operation | string {
  const { op, target_memory_id: alias } = proposed
  const target = alias == null ? undefined : input.known.find((known) => known.alias === alias)?.id
  const text = cleanMemoryText(proposed.text ?? "")
  if (op === "DEPRECATE") {
    if (target === undefined)
      return alias == null ? "it names no memory to deprecate" : `there is no known memory ${alias}`
    const reason = text === "" ? "the episode contradicts it" : clip(text, 200)
    return { op, target, reason, evidence: readEvidence(proposed, input) }
  }
  if (text === "") return "it has no text"
  if (proposed.kind == null) return "it has no kind"
  const newText = readNewText({ ...proposed, kind: proposed.kind, text }, input)
  return op === "UPDATE" ? { op, target, ...newText } : { op: "ADD", ...newText }
}

function readNewText(proposed: Proposed & { kind: NewText["kind"]; text: string }, input: WriterInput): NewText {
  const key = parseMemoryKey(proposed.key ?? "")
  const pathPrefix = parsePathPrefix(proposed.path_prefix ?? "")
  const scope = key?.startsWith("user.") ? "global" : (proposed.scope ?? "project")
  return {
    scope,
    ...(scope === "repo_path" && pathPrefix !== undefined && { pathPrefix }),
    owner: { type: proposed.owner_type ?? "user", id: input.owner.id },
    kind: proposed.kind,
    tier: proposed.tier ?? "short_term",
    polarity: proposed.kind === "guard" || (proposed.polarity ?? 1) < 0 ? -1 : 1,
    ...(key !== undefined && { key }),
    text: proposed.text,
    ...(proposed.ttl_days !== undefined && { ttlDays: proposed.ttl_days }),
    confidence: Math.min(1, Math.max(0, proposed.confidence ?? 0.5)),
    evidence: readEvidence(proposed, input),
  }
}

function readEvidence({ evidence }: Proposed, { episode }: WriterInput): ProposedEvidence {
  const event = evidence?.event
  const quote = evidence?.quote?.trim() ?? ""
  return {
    source: evidence?.source ?? "pattern_observed",
    frustration: evidence?.frustration ?? "none",
    ...(quote !== "" && { quote }),
    ...(event != null && episode.events[event] !== undefined && { event }),
  }
}

/** By position and expected type, never by content: an answer may repeat anything. */
function whereItBreaks(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return "it does not match the schema"
  const place = issue.path.length === 0 ? "the answer" : issue.path.map(String).join(".")
  const values =
    issue.code === "invalid_value"
      ? `one of ${issue.values.join(", ")}`
      : "expected" in issue
        ? issue.expected
        : issue.code
  return `${place} should be ${values}`
}

/**
 * The JSON object with `ops` in the output of a model or command; undefined when there is none. It may be surrounded by
 * prose, in a code fence, on a line of its own, or a string inside the JSON that a client wraps around an answer.
 */
export function findAnswer(printed: string): Record<string, unknown> | undefined {
  return answerInText(printed, 0)
}

/** Deeper than any client wraps an answer. */
const deepest = 6

function answerInText(text: string, depth: number): Record<string, unknown> | undefined {
  for (const candidate of candidatesIn(text)) {
    const answer = answerInValue(parse(candidate), depth)
    if (answer) return answer
  }
  return undefined
}

/** Where JSON may be, likeliest first; of several lines and fences the last, because an answer comes at the end. */
function* candidatesIn(text: string): Generator<string> {
  yield text
  yield* text
    .split(/^```[a-z]*[ \t]*$/im)
    .filter((_, index) => index % 2 === 1)
    .reverse()
  yield* text
    .split("\n")
    .filter((line) => /^\s*[{[]/.test(line))
    .reverse()
  yield text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)
}

function answerInValue(value: unknown, depth: number): Record<string, unknown> | undefined {
  if (depth > deepest) return undefined
  if (typeof value === "string") return value.includes("ops") ? answerInText(value, depth + 1) : undefined
  if (typeof value !== "object" || value === null) return undefined
  if (isRecord(value) && Array.isArray(value.ops)) return value
  for (const part of Object.values(value).reverse()) {
    const answer = answerInValue(part, depth + 1)
    if (answer) return answer
  }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // one of several candidates; the caller reports when none contains an answer
  }
}
