import { queryStatuses } from "../../formats/item-status.ts"
import { querySources, queryTypes } from "../../formats/query.ts"
import { environment } from "./environment.ts"
import { files } from "./files.ts"
import { listPairs } from "./list-pairs.ts"

export type Topic = { title: string; text: () => string }

/** Help that applies to several commands. */
export const topics: Record<string, Topic> = {
  query: { title: "Query language: words and filters", text: query },
  output: { title: "JSON, colour and the pager", text: output },
  "exit-codes": { title: "Exit codes", text: exitCodes },
  files: { title: "Files and folders", text: () => listPairs(Object.values(files)) },
  environment: { title: "Environment variables", text: () => listPairs(Object.entries(environment)) },
}

function query(): string {
  const filters: [string, string][] = [
    ["type:decision", `one of ${queryTypes.join(", ")}`],
    ["author:Kane", "who wrote it or contributed to it"],
    ["tag:api", "repeat for several tags; all must match"],
    ["scope:agent:kane", "team, project, agent:NAME or skill:NAME"],
    ["source:inbox", `one of ${querySources.join(", ")}`],
    ["status:active", `one of ${queryStatuses.join(", ")}`],
    ["after:2026-02-01", "on or after this date or time"],
    ["before:2026-03-01", "before this date or time"],
    ["recent:7d", "within the last 24h, 7d, 2w or 3m"],
    ["id:sem-4f2a90c1d3e5", "the one entry"],
  ]
  const words: [string, string][] = [
    ["token refresh", "both words, in any order"],
    ['"refresh token"', "the exact phrase"],
    ["-legacy", "not this word; -tag:old: not this tag"],
    ['author:"Jane Doe"', "a value with a space"],
  ]
  return [
    "drey memory, drey search, the browser app and the SDK use the same query language.",
    `Words:\n${listPairs(words)}`,
    `Filters:\n${listPairs(filters)}`,
    "The shell removes quotes, so put a query with a phrase in single quotes:\n\n  drey memory 'type:decision \"refresh token\" -tag:old recent:2w'",
    "drey memory lists the entries that contain these words; drey search also searches\nby meaning, best match first, in all of the team's memory.",
  ].join("\n\n")
}

function output(): string {
  return [
    "With --json every command prints exactly one JSON document on stdout. Notices go to stderr.",
    "Colour: only on a terminal by default. In order of precedence: --color and --no-color, NO_COLOR (any value: off), FORCE_COLOR (any value but 0 or false: on, even without a terminal), TERM=dumb (off).",
    "Pager: output longer than the terminal goes through DREY_PAGER, PAGER or less, in that order. If LESS is not set, Drey sets LESS=FRX: less exits if everything fits, keeps colours, and leaves the text on the screen. Never used without a terminal or for JSON. Turn it off with --no-pager or DREY_PAGER=cat.",
    "Tab completion: drey completion --help.",
  ]
    .map((paragraph) => wrapParagraph(paragraph))
    .join("\n\n")
}

function exitCodes(): string {
  return `${listPairs([
    ["0", "done"],
    ["1", "the command ran and the answer is no: invalid, unhealthy, refused, not found. See the help of each command"],
    ["2", "wrong usage, or input that cannot be read"],
    ["3", "a bug in Drey; set DREY_DEBUG=1 to see the stack trace"],
  ])}\n\ndrey hook always exits with 0, so that an error in Drey never blocks the client.`
}

function wrapParagraph(text: string): string {
  return text.replace(/(.{1,78})(?:\s+|$)/g, "$1\n").trimEnd()
}
