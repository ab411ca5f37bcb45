import { numberOf, objectOf, parseObject, textOf } from "./json-value.ts"

export type CodexOutput = {
  text: string
  exitCode?: number
  isError?: true
  incident?: "refused" | "interrupted"
  /** The number of a command that is still running. */
  process?: string
}

/** A call's output as sent to the model: the text, and the values of its header. */
export function codexOutput(text: string): CodexOutput {
  const packed = parseObject(text)
  const exitCode = numberOf(objectOf(packed?.metadata)?.exit_code)
  if (exitCode !== undefined) return { text: textOf(packed?.output) ?? "", exitCode }
  if (abort.test(text)) return { text: "", incident: "interrupted" }
  if (refusal.test(text)) return { text: "", incident: "refused" }
  if (failure.test(text)) return { text, isError: true }
  const head = heading.exec(text)
  if (head === null) return { text }
  const [whole, early, late, process] = head
  const code = early ?? late
  const rest = text.slice(whole.length)
  return { text: rest, ...(code ? { exitCode: Number(code) } : {}), ...(process ? { process } : {}) }
}

const heading =
  /^(?:Exit code: (-?\d{1,9})\n)?(?:Chunk ID: [^\n]{1,60}\n)?(?:Wall time: [^\n]{1,60}\n)(?:Process exited with code (-?\d{1,9})\n|Process running with session ID (\d{1,12})\n)?(?:[^\n]{1,100}\n){0,3}?Output:(?:\n|$)/
const abort = /^(?:Wall time: [^\n]{1,60}\n)?aborted by user/
const refusal = /^[\w ]{0,40}rejected by user/
const failure =
  /^(?:apply_patch verification failed|failed to parse function arguments|unsupported call|patch rejected: )/
