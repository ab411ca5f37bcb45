import type { DiagnosticCode } from "../../formats/diagnostics.ts"
import { instantOf } from "../../formats/timestamp.ts"
import { type Examined, fail, info, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Check that entries are valid and up to date. */
export const entryChecks: NamedCheck[] = [
  { name: "fields", examine: (examined) => byCode(examined, fieldCheck) },
  { name: "references", examine: examineReferences },
  { name: "headings", examine: (examined) => byCode(examined, headingCheck) },
  { name: "summaries", examine: (examined) => byCode(examined, summaryCheck) },
  { name: "dates", examine: (examined) => byCode(examined, dateCheck) },
  { name: "rationale", examine: examineRationale },
  { name: "expired entries", examine: examineExpired },
  { name: "legacy entries", examine: examineLegacy },
]

type CodeCheck = {
  codes: DiagnosticCode[]
  verdict: (message: string) => Verdict
  good: string
  found: [one: string, many: string]
  advice: string
}

const fieldCheck: CodeCheck = {
  codes: ["invalid-field"],
  verdict: fail,
  good: "All fields are valid.",
  found: ["invalid field", "invalid fields"],
  advice: 'Run "drey validate" for details.',
}

const headingCheck: CodeCheck = {
  codes: ["header-field-mismatch"],
  verdict: warn,
  good: "Headings and fields agree.",
  found: ["entry whose heading and fields disagree", "entries whose headings and fields disagree"],
  advice: "Change the fields to match the heading, which takes precedence.",
}

const summaryCheck: CodeCheck = {
  codes: ["summary-too-long", "title-too-long"],
  verdict: warn,
  good: "Titles and summaries have at most 120 characters.",
  found: ["title or summary over 120 characters", "titles and summaries over 120 characters"],
  advice: "Shorten them and move the rest to the details.",
}

const dateCheck: CodeCheck = {
  codes: ["implausible-date"],
  verdict: warn,
  good: "All dates are plausible.",
  found: ["date before 2020 or in the future", "dates before 2020 or in the future"],
  advice: "An agent may have invented them: look them up in git and correct them.",
}

function byCode(examined: Examined, { codes, verdict, good, found, advice }: CodeCheck): Verdict {
  const places = placesOf(examined, codes)
  if (places.length === 0) return pass(good)
  return verdict(`${quantity(places.length, ...found)}: ${nameSome(places)}. ${advice}`)
}

function examineReferences(examined: Examined): Verdict {
  const cycles = placesOf(examined, ["cyclic-supersession"])
  if (cycles.length > 0)
    return fail(`Entries supersede each other in a cycle: ${nameSome(cycles)}. Remove one of the links.`)
  const dangling = placesOf(examined, ["dangling-reference", "ambiguous-reference"])
  if (dangling.length === 0) return pass("Every reference matches exactly one entry.")
  const references = quantity(dangling.length, "reference")
  return warn(`${references} to a missing or ambiguous entry: ${nameSome(dangling)}. Refer to the entry by its id.`)
}

/** Includes legacy entries, unlike the validator: the count helps a team that has not converted yet. */
function examineRationale({ reading }: Examined): Verdict {
  const decisions = reading.entries.filter(({ entry, source }) => entry.type === "decision" && source !== "archive")
  const without = decisions.filter(({ entry }) => !entry.rationale).length
  if (without === 0) return pass("Every decision has a rationale.")
  return info(
    `${quantity(without, "decision")} of ${decisions.length} without a rationale. Decisions without a reason tend to be reopened.`,
  )
}

function examineExpired({ reading, now }: Examined): Verdict {
  const due = reading.entries.filter(
    ({ entry, source, supersededBy }) =>
      entry.expires !== undefined &&
      instantOf(entry.expires) < now.getTime() &&
      source !== "archive" &&
      supersededBy.length === 0,
  )
  if (due.length === 0) return pass("No entry is due for review.")
  const named = nameSome(due.map(({ entry, path, line }) => `"${entry.title}" (${path}:${line})`))
  return warn(
    `${quantity(due.length, "entry is", "entries are")} past the review date: ${named}. Set a new date, or write an entry that supersedes it.`,
  )
}

function examineLegacy({ reading }: Examined): Verdict {
  const legacy = reading.entries.filter((entry) => entry.format === "legacy" && entry.unit === "entry").length
  if (legacy === 0) return pass("All entries are in the current format (SEM).")
  return info(
    `${quantity(legacy, "entry is", "entries are")} in a legacy format. Preview the conversion with "drey convert-memory --dry-run".`,
  )
}

function placesOf({ reading }: Examined, codes: DiagnosticCode[]): string[] {
  return reading.diagnostics
    .filter(({ diagnostic }) => codes.includes(diagnostic.code))
    .map(({ path, diagnostic }) => `${path}:${diagnostic.line}`)
}
