import type { HookAnswer } from "./hook-event.ts"

/** The field in which several clients take words for the person; none where there is nothing to show. */
export function shownToPerson(answer: HookAnswer): { systemMessage?: string } {
  const shown = answer.kind === "context" ? answer.shown : undefined
  return shown === undefined ? {} : { systemMessage: wordsForPerson(shown) }
}

/** What an agent would be told, as a person reads it: who speaks, and no wrapper, by which Drey knows its own words in a transcript. */
export function wordsForPerson(text: string): string {
  return `Drey · ${text.replace(/^<drey-context[^>\n]*>\n|\n+<\/drey-context>$/g, "")}`
}
