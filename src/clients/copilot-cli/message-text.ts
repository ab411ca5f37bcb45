import { type JsonObject, numberOf, objectOf, textOf } from "../json-value.ts"

export type CopilotOutput = { text: string; isError: boolean; exitCode?: number; incident?: "refused" }

/**
 * The outcome of a call. A failed command counts as a success here; only newer versions have a field for its exit code.
 */
export function copilotOutput(data: JsonObject, isRefused: boolean): CopilotOutput {
  if (isRefused || /^(?:denied|rejected)/.test(textOf(objectOf(data.error)?.code) ?? ""))
    return { text: "", isError: false, incident: "refused" }
  const output = cutGuidance(rawCopilotOutput(data))
  const ending = exitLine.exec(output.slice(-200))
  const text = ending ? output.slice(0, -ending[0].length) : output
  const exitCode = numberOf(objectOf(data.shellExecution)?.exitCode) ?? (ending ? Number(ending[1]) : undefined)
  return { text, isError: data.success === false, ...(exitCode === undefined ? {} : { exitCode }) }
}

/** The output including injected text. */
export function rawCopilotOutput(data: JsonObject): string {
  const { content } = objectOf(data.result) ?? {}
  return textOf(content) ?? textOf(objectOf(data.error)?.message) ?? ""
}

const exitLine = /\n?<(?:shellId: [^\n>]{1,80} completed|exited) with exit code (-?\d{1,9})>\s{0,9}$/

/** Hook output follows the tool's output, below a line of the client's. */
function cutGuidance(text: string): string {
  const heading = guidance.exec(text)
  return heading ? text.slice(0, heading.index).trimEnd() : text
}

const guidance = /^(?:Tool "[^"\n]{1,100}" [a-z]{1,20}\. )?Additional guidance from [A-Za-z]{1,40} hooks:/m
