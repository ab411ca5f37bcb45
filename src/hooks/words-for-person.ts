/** What an agent would be told, as a person reads it: who speaks, and no wrapper, by which Drey knows its own words in a transcript. */
export function wordsForPerson(text: string): string {
  return `Drey · ${text.replace(/^<drey-context[^>\n]*>\n|\n+<\/drey-context>$/g, "")}`
}
