/** An entry in the documented legacy form, as the older Squad wrote it. */
export function legacyEntry(
  date: string,
  title: string,
  {
    by = "Rook",
    what = `${title} everywhere.`,
    why = "It is simpler.",
  }: { by?: string; what?: string; why?: string } = {},
): string {
  return `### ${date}: ${title}\n**By:** ${by}\n**What:** ${what}\n**Why:** ${why}\n`
}

/** An entry that reads as a report: its type needs a person. */
export function reportEntry(date: string, title = "Retrospective of sprint 3"): string {
  return `### ${date}: ${title}\n**By:** Rook\n\nThe week went well.\n`
}

/** A made-up token of a real shape; assembled here, so that no scanner finds one in this repository. */
export function fakeSecret(): string {
  return ["gh", "p_", "q7Rz1LmT9vXc4Bn8Wk2Ys6Hd3Jf5Gp0Ae1Qu"].join("")
}

/** A whole SEM entry as Drey writes it, with these field lines among its own. */
export function semEntry(
  timestamp: string,
  type: string,
  title: string,
  {
    author = "Wren",
    fields = [],
    details = `${title} at length.`,
    rationale = "It was measured.",
  }: { author?: string; fields?: string[]; details?: string; rationale?: string } = {},
): string {
  const metadata = [`**type:** ${type}`, `**timestamp:** ${timestamp}`, `**author:** ${author}`, ...fields]
  return `### ${timestamp}: ${type}: ${title}

${metadata.map((line) => `${line}  \n`).join("")}
**summary:** ${title} in short.

**details:**

${details}

**rationale:** ${rationale}

---
`
}
