import type { z } from "zod"
import { parseMemoryKey } from "../formats/memory-key.ts"
import { cleanMemoryText, clip } from "../formats/memory-text.ts"
import { parsePathPrefix } from "../formats/path-prefix.ts"
import { writerAnswerSchema, writerOperationSchema } from "./prompt.ts"
import type { NewText, Operation, ProposedEvidence, WriterInput } from "./writer.ts"

export type ReadAnswer =
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
    else if (operations.length === input.mostMemories)
      dropped.push(`operation ${index + 1}: over the limit of ${input.mostMemories}`)
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
  return {
    source: evidence?.source ?? "pattern_observed",
    frustration: evidence?.frustration ?? "none",
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
