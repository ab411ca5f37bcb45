import { readFileSync, writeFileSync } from "node:fs"
import { type Inspection, inspector } from "./inspect-server.ts"
import type { Check } from "./judge-journey.ts"
import type { RealClient } from "./real-client.ts"

/** How a client did; `trouble` where it could not be run to the end. */
export type ClientResult = { client: RealClient; seconds: number; checks: Check[]; trouble?: string }

/** The clients side by side, one line for each thing that they have to show. */
export function showClients(results: readonly ClientResult[]): string {
  const names = [...new Set(results.flatMap(({ checks }) => checks.map(({ name }) => name)))]
  const remarks = [...new Set(results.flatMap(({ checks }) => checks.flatMap(({ remark }) => remark ?? [])))]
  const cell = (check: Check | undefined) =>
    check === undefined
      ? "–"
      : `${check.isMet ? "✓" : "✗"}${check.remark === undefined ? "" : ` (${remarks.indexOf(check.remark) + 1})`}`
  const row = (first: string, cells: string[]) => `| ${[first, ...cells].join(" | ")} |`
  return [
    row(
      "",
      results.map(({ client }) => client.name),
    ),
    row(
      "---",
      results.map(() => "---"),
    ),
    row(
      "version",
      results.map(({ client }) => client.version),
    ),
    row(
      "seconds, two sessions",
      results.map(({ seconds }) => seconds.toFixed(0)),
    ),
    ...names.map((name) =>
      row(
        name,
        results.map(({ checks }) => cell(checks.find((check) => check.name === name))),
      ),
    ),
    "",
    ...remarks.map((remark, at) => `(${at + 1}) ${remark}.`),
  ]
    .join("\n")
    .trimEnd()
}

export function showInspection({ schemaBytes, calls }: Inspection): string {
  const answered = calls.filter(({ isAnswered }) => isAnswered).length
  return [
    `MCP Inspector ${inspector.version}, \`--cli\`: ${calls.length} tools listed (${schemaBytes} bytes of JSON), ${answered} of ${calls.length} calls answered.`,
    "",
    "| tool | | answer |",
    "| --- | --- | --- |",
    ...calls.map(
      ({ tool, isAnswered, answer }) => `| \`${tool}\` | ${isAnswered ? "✓" : "✗"} | ${firstLine(answer)} |`,
    ),
  ].join("\n")
}

/** Without what differs from run to run. */
function firstLine(answer: string): string {
  const line = answer.split("\n").find((each) => each.trim() !== "") ?? ""
  const lasting = line.replace(
    /[0-9a-f]{8}-[0-9a-f-]{27}|(?<=-)[0-9a-f]{8}(?=\.md)|(?<=t-)[0-9a-f]{12}|\d{8}-\d{6}-[0-9a-f]{8}/g,
    "…",
  )
  return `\`${lasting.length > 90 ? `${lasting.slice(0, 90)}…` : lasting}\``.replaceAll("|", "\\|")
}

const opening = "<!-- test:clients -->"
const closing = "<!-- /test:clients -->"

/** Puts the tables between their marks. */
export function writeTables(path: string, text: string): void {
  const page = readFileSync(path, "utf8")
  const from = page.indexOf(opening)
  const to = page.indexOf(closing)
  if (from === -1 || to < from) throw new Error(`${path} needs the marks ${opening} and ${closing}`)
  writeFileSync(path, `${page.slice(0, from)}${opening}\n\n${text}\n\n${page.slice(to)}`)
}
