import { queryStatuses } from "../../formats/item-status.ts"
import { querySources, queryTypes } from "../../formats/query.ts"
import { environment } from "./environment.ts"
import { files } from "./files.ts"
import { listPairs } from "./list-pairs.ts"

export type Topic = { title: string; text: () => string }

/** What concerns more than one command. */
export const topics: Record<string, Topic> = {
  query: { title: "How to ask: words and filters", text: query },
  output: { title: "JSON, colour and the pager", text: output },
  "exit-codes": { title: "What the number means that a command ends with", text: exitCodes },
  files: { title: "Where Drey keeps what", text: () => listPairs(Object.values(files)) },
  environment: { title: "The variables that Drey reads", text: () => listPairs(Object.entries(environment)) },
}

function query(): string {
  const filters: [string, string][] = [
    ["type:decision", `one of ${queryTypes.join(", ")}`],
    ["author:Kane", "who wrote it or contributed to it"],
    ["tag:api", "again for each tag; all must be there"],
    ["scope:agent:kane", "team, project, agent:NAME or skill:NAME"],
    ["source:inbox", `one of ${querySources.join(", ")}`],
    ["status:active", `one of ${queryStatuses.join(", ")}`],
    ["after:2026-02-01", "from this day or time on"],
    ["before:2026-03-01", "before this day or time"],
    ["recent:7d", "the last 24h, 7d, 2w or 3m"],
    ["id:sem-4f2a90c1d3e5", "the one entry"],
  ]
  const words: [string, string][] = [
    ["token refresh", "both words, in any order"],
    ['"refresh token"', "the phrase as it stands"],
    ["-legacy", "not this word; -tag:old: not this tag"],
    ['author:"Jane Doe"', "a value with a space"],
  ]
  return [
    "drey memory, drey search, the browser app and the SDK read one language.",
    `Words:\n${listPairs(words)}`,
    `Filters:\n${listPairs(filters)}`,
    "A shell takes quotes off, so put a query with a phrase in single quotes:\n\n  drey memory 'type:decision \"refresh token\" -tag:old recent:2w'",
    "drey memory shows the entries that hold these words; drey search also finds by\nmeaning, best first, in all that is remembered.",
  ].join("\n\n")
}

function output(): string {
  return [
    "With --json every command prints one JSON document on stdout and nothing else there. What a person should know beside the answer goes to stderr.",
    "Colour: on a terminal alone. --color and --no-color decide first, then NO_COLOR (anything: none), then FORCE_COLOR (anything but 0 or false: also without a terminal), then TERM=dumb (none).",
    "Pager: what is longer than the terminal goes through DREY_PAGER, else PAGER, else less, which is told LESS=FRX where LESS is not set: it ends at once when all is shown, keeps colours, and leaves the text on the screen. Never without a terminal, never for JSON. --no-pager, or DREY_PAGER=cat, turns it off.",
    "Tab completion: drey completion --help.",
  ]
    .map((paragraph) => wrapParagraph(paragraph))
    .join("\n\n")
}

function exitCodes(): string {
  return `${listPairs([
    ["0", "done"],
    [
      "1",
      "it ran and the answer is no: invalid, unhealthy, refused, not found. The help of each command says what that is",
    ],
    ["2", "wrong usage, or input that cannot be read"],
    ["3", "a bug in Drey; DREY_DEBUG=1 shows the trace"],
  ])}\n\ndrey hook always ends with 0: whatever goes wrong, the client is not to notice.`
}

function wrapParagraph(text: string): string {
  return text.replace(/(.{1,78})(?:\s+|$)/g, "$1\n").trimEnd()
}
