import { setTimeout as sleep } from "node:timers/promises"
import { clearOperations } from "./clear-operations.ts"
import { findAnswer } from "./find-answer.ts"
import { groundOperations } from "./ground-operations.ts"
import { stricterPrompt, type WriterPrompt, writerPrompt } from "./prompt.ts"
import { type ReadAnswer, readAnswer, salvageAnswer } from "./read-answer.ts"
import type { WriterAnswer, WriterInput } from "./writer.ts"

/** The result of one call. */
export type Reply =
  | { kind: "text"; text: string; wasCutOff: boolean }
  /** Rate limit or overload: worth a retry after a while, or after the requested delay. */
  | { kind: "busy"; reason: string; waitMs?: number }
  | { kind: "down"; reason: string }
  | { kind: "refused"; reason: string }

/** One call to the model or command. `wasCutOff`: the previous answer was too long. */
export type Ask = (prompt: WriterPrompt, wasCutOff: boolean) => Promise<Reply>

export type Pause = (milliseconds: number) => Promise<void>

/** Waits, unless cancelled; the next call then reports it. */
export function pauseUnless(signal: AbortSignal | undefined): Pause {
  return (milliseconds) => sleep(milliseconds, undefined, signal && { signal }).catch(() => undefined)
}

/**
 * Asks once, retries up to three times while the service is busy, and once more strictly after an unreadable answer.
 * The answer is parsed, grounded in the episode and passed through the governance check.
 */
export async function answerEpisode(input: WriterInput, ask: Ask, pause: Pause): Promise<WriterAnswer> {
  const prompt = writerPrompt(input)
  const first = await askPatiently(() => ask(prompt, false), pause)
  if (first.kind !== "text") return giveUp(first)
  const read = readText(first.text, input)
  if (read.kind === "read") return settle(read, input)

  const trouble = first.wasCutOff ? "it was too long and was cut off" : read.reason
  const second = await askPatiently(() => ask(stricterPrompt(prompt, trouble), first.wasCutOff), pause)
  if (second.kind !== "text") return giveUp(second)
  const reread = readText(second.text, input, salvageAnswer)
  if (reread.kind === "read") return settle(reread, input)
  return { kind: "later", reason: `the answer could not be read, twice: ${reread.reason}` }
}

const mostTries = 3
const firstWaitMs = 2000
/** A longer requested delay waits for the next run. */
const longestWaitMs = 60_000

async function askPatiently(ask: () => Promise<Reply>, pause: Pause): Promise<Exclude<Reply, { kind: "busy" }>> {
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
