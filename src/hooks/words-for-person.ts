import type { HookAnswer } from "./hook-event.ts"

/** The field in which several clients accept a line for their user. */
export function systemMessage(answer: HookAnswer): { systemMessage?: string } {
  const line = answer.kind === "context" ? answer.toUser : undefined
  return line === undefined ? {} : { systemMessage: wordsForPerson(line) }
}

/** The agent's part of an answer; empty if all of it is for the user. */
export function additionalContext({ text }: HookAnswer): { additionalContext?: string } {
  return text === "" ? {} : { additionalContext: text }
}

/**
 * An answer as the user reads it: prefixed with Drey's name, without the wrapper that marks Drey's text in a
 * transcript.
 */
export function wordsForPerson(text: string): string {
  return `Drey · ${text.replace(/^<drey-context[^>\n]*>\n|\n+<\/drey-context>$/g, "")}`
}
