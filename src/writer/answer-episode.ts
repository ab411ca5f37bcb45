import { setTimeout as sleep } from "node:timers/promises"
import { clearOperations } from "./clear-operations.ts"
import { findAnswer } from "./find-answer.ts"
import { groundOperations } from "./ground-operations.ts"
import { stricterPrompt, type WriterPrompt, writerPrompt } from "./prompt.ts"
import { type ReadAnswer, readAnswer, salvageAnswer } from "./read-answer.ts"
import type { WriterAnswer, WriterInput } from "./writer.ts"

/** What one call came to. */
export type Reply =
  | { kind: "text"; text: string; wasCutOff: boolean }
  /** Too many calls, or too much to do: worth another try after a while, or after what the other side asks for. */
  | { kind: "busy"; reason: string; waitMs?: number }
  | { kind: "down"; reason: string }
  | { kind: "refused"; reason: string }

/** One call to whoever answers. `wasCutOff`: the answer before this one did not fit. */
export type Ask = (prompt: WriterPrompt, wasCutOff: boolean) => Promise<Reply>

export type Pause = (milliseconds: number) => Promise<void>

/** Waits, but not for somebody who does not want the answer any more; the next call tells. */
export function pauseUnless(signal: AbortSignal | undefined): Pause {
  return (milliseconds) => sleep(milliseconds, undefined, signal && { signal }).catch(() => undefined)
}

/**
 * Asks once, and again only where that helps: up to three times while the other side is busy, and one stricter time after an answer that
 * cannot be read. What comes back is read, held against the episode and sent through the gate.
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
/** Who asks for more than this is asked again with the next run. */
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
