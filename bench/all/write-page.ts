import { cpus, totalmem } from "node:os"
import type { Section } from "./sections.ts"

const intro = `# Benchmarks

\`npm run bench\` runs all of this and writes this page; \`npm run bench -- --only peers,recall\` runs some of it and leaves the rest as it was.
Parts that need outside data are left out where there is none: \`--data FOLDER\` names a folder with \`bench\` (data sets), \`corpora\`
(repositories) and \`transcripts\` in it. Look at ratios, not at times: each is given beside something else that was measured in the same run
on the same machine, and machines differ.
`

/** A page with the section put in the place of what it measured before, or at the place that its order gives it. */
export function putSection(page: string, order: readonly Section[], section: Section, body: string): string {
  const parts = new Map(order.flatMap(({ name }) => partOf(page, name)))
  parts.set(
    section.name,
    `${openMark(section.name)}\n## ${section.title}\n\n${section.about}\n\n${body.trim()}\n${closeMark}\n`,
  )
  const written = order.flatMap(({ name }) => parts.get(name) ?? [])
  return `${[intro, ...written].join("\n")}`
}

function partOf(page: string, name: string): [string, string][] {
  const start = page.indexOf(openMark(name))
  if (start === -1) return []
  const end = page.indexOf(closeMark, start) + closeMark.length
  return [[name, `${page.slice(start, end)}\n`]]
}

function openMark(name: string): string {
  return `<!-- bench: ${name} -->`
}

const closeMark = "<!-- end -->"

/** What was run, when and on what; then its output, a level deeper, or fenced where it is not Markdown. */
export function describeRun(section: Section, args: readonly string[], output: string, day: string): string {
  const command = ["node scripts/run-ts.mjs", `bench/${section.script}`, ...args].join(" ")
  const gigabytes = Math.round(totalmem() / 1e9)
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${gigabytes} GB, ${process.platform}, Node ${process.versions.node}`
  const shown =
    section.prints === "markdown" ? output.replace(/^(?=#+ )/gm, "#") : `\`\`\`text\n${output.trim()}\n\`\`\``
  return `\`${command}\` on ${day}; ${machine}.\n\n${shown}`
}
