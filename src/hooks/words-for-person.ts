import type { HookAnswer } from "./hook-event.ts"

/** The field in which several clients take a line for their user. */
export function systemMessage(answer: HookAnswer): { systemMessage?: string } {
  const line = answer.kind === "context" ? answer.toUser : undefined
  return line === undefined ? {} : { systemMessage: wordsForPerson(line) }
}

/** The agent's part of an answer; none where all of it is for the user. */
export function additionalContext({ text }: HookAnswer): { additionalContext?: string } {
  return text === "" ? {} : { additionalContext: text }
}

/** What an agent would be told, as a person reads it: who speaks, and no wrapper, by which Drey knows its own words in a transcript. */
export function wordsForPerson(text: string): string {
  return `Drey · ${text.replace(/^<drey-context[^>\n]*>\n|\n+<\/drey-context>$/g, "")}`
}
