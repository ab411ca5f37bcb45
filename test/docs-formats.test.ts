import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import { diagnosticSeverity } from "../src/formats/diagnostics.ts"
import { readEntries } from "../src/formats/entries.ts"
import { entryTypes, scopePattern } from "../src/formats/entry.ts"
import { toEntryJson } from "../src/formats/entry-json.ts"
import { readEntryJson } from "../src/formats/entry-schema.ts"
import { writeEntry } from "../src/formats/entry-writer.ts"
import { entryId } from "../src/formats/ids.ts"
import { parseHeading } from "../src/formats/legacy/heading.ts"
import { makeRoster } from "../src/formats/legacy/roster.ts"
import { parseQuery, queryKeys } from "../src/formats/query.ts"
import { needsEscape, parseSemHeader } from "../src/formats/sem-grammar.ts"
import { readAgentMemory } from "../src/formats/session/agent-memory-file.ts"
import { isSessionId } from "../src/formats/session/session-id.ts"
import { agentMemoryJsonSchema } from "../src/formats/session/session-json-schema.ts"
import type { SessionProblemCode } from "../src/formats/session/session-problem.ts"
import { readSkill, writeSkill } from "../src/formats/skill.ts"
import { renderSquadUiView } from "../src/formats/squadui-view.ts"
import { readAuditLine } from "../src/governance/audit.ts"
import { readLearnedBundle } from "../src/memories/learned-bundle.ts"
import { convertFile } from "../src/team/conversion/file-conversion.ts"
import { toReviewFile } from "../src/team/conversion/review-file.ts"
import { type ClearedMemory, readMemoryFile, writeMemoryFile } from "../src/team/governed/memory-file.ts"
import { readPage, takeBlocks } from "./doc-blocks.ts"

const page = "docs/formats.md"
const text = readPage(page)
const examples = takeBlocks(page, "markdown", 6)
const [fullExample = "", , thematicBreak = "", escaped = "", legacy = "", converted = ""] = examples
const [scopeRule = "", idRule = "", hashed = "", headerRule = "", escapeRule = "", , governed = ""] = takeBlocks(
  page,
  "text",
  7,
)
const [fullJson = "", reviewJson = ""] = takeBlocks(page, "json", 2)
const full = onlyEntry(fullExample)
const sessionFields = readPage("src/formats/session/README.md")

test("every SEM entry in the page is read without errors", () => {
  const entries = examples.filter((block) => block.split("\n").some((line) => parseSemHeader(line)))
  expect(examples.filter((block) => !entries.includes(block))).toEqual([legacy])
  for (const example of entries) {
    const { entries, diagnostics } = readEntries(example, { kind: "decisions" })
    expect(entries.some(({ format }) => format === "sem")).toBe(true)
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
  }
})

test("the full example is canonical and leaves nothing to report", () => {
  expect(writeEntry(full)).toBe(fullExample)
  expect(readEntries(fullExample, { kind: "decisions" }).diagnostics).toEqual([])
})

test("a `---` in the middle of a body and an escaped line are read as the page specifies", () => {
  expect(onlyEntry(thematicBreak).details).toMatch(
    /\n---\n\nThe line above is a thematic break: a paragraph follows it\.$/,
  )
  const { details, summary, title } = onlyEntry(escaped)
  expect(details).toMatch(/\n\*\*summary:\*\* Short and plain\.$/)
  expect(summary).toBe(title)
})

test("the worked example of an id is right", () => {
  const [, digits = "", bits = "", names = ""] =
    /^"sem-" \+ first (\d+) hex digits of SHA-(\d+)\( (.*) \), encoded as UTF-8\n$/.exec(idRule) ?? []
  const [when, type, author, title] = hashed.trimEnd().split("\n")
  const parts: Record<string, string | undefined> = { when, type, author, title }
  const input = names
    .split(" LF ")
    .map((name) => parts[name])
    .join("\n")
  const [exact, dayOnly] = section(5).match(/sem-[0-9a-f]{12}/g) ?? []
  expect(exact).toBe(`sem-${createHash(`sha${bits}`).update(input).digest("hex").slice(0, Number(digits))}`)
  expect(exact).toBe(entryId(full))
  expect(dayOnly).toBe(entryId({ ...full, precision: "day" }))
})

test("the rules of the page for scopes, headers and escapes are those that the reader keeps to", () => {
  expect(scopeRule).toBe(`${scopePattern.source}\n`)
  const [, types = ""] = /^### <timestamp or date>: <([a-z|]+)>: <title>\n$/.exec(headerRule) ?? []
  expect(types.split("|").sort()).toEqual([...entryTypes].sort())
  for (const type of types.split("|"))
    for (const when of ["2026-03-02", full.timestamp])
      expect(parseSemHeader(`### ${when}: ${type}: Title`), type).toMatchObject({ title: "Title" })
  const fields = rowsOf(section(2)).flatMap(([cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const meansSomething = new RegExp(escapeRule.trimEnd().replace("NAME", fields.join("|")))
  const lines = [
    "## 2026-03-02 x",
    "#### 2026-03-02",
    "---",
    "----",
    "<<<<<<< ours",
    "<!-- drey: conflict a -->",
    "plain",
  ]
  for (const line of [...lines, ...fields.map((name) => `**${name}:** x`), "**Summary:** x", "**summary:**x"])
    for (const written of [line, `\\${line}`, `\\\\${line}`])
      expect([written, meansSomething.test(written)]).toEqual([written, needsEscape(written)])
})

test("the JSON form of the full example is the one in the page, and valid", () => {
  const json: unknown = JSON.parse(fullJson)
  expect(json).toEqual(toEntryJson(full, entryId(full)))
  expect(readEntryJson(json)).toMatchObject({ kind: "entry", diagnostics: [] })
})

test("the table of diagnostics lists every code with its severity, and no other", () => {
  const rows = rowsOf(section(10)).map(([code = "", severity = ""]) => [unquoted(code), severity])
  expect(rows).toEqual(Object.entries(diagnosticSeverity))
})

test("every heading style in the page is understood", () => {
  const headings = (section(11).split("### Labels")[0] ?? "").match(/`#+ [^`]+`/g) ?? []
  expect(headings.length).toBeGreaterThanOrEqual(10)
  for (const heading of headings) expect(parseHeading(unquoted(heading))?.title).toContain("Title")
})

test("the migration example converts as shown", () => {
  const context = { kind: "decisions", roster: makeRoster(["Mira", "Otto-K"]) } as const
  const path = ".squad/decisions.md"
  const conversion = convertFile(path, legacy, readEntries(legacy, context), context, {})
  expect(`${conversion.text.trimEnd()}\n`).toBe(converted)
  expect(conversion.records.map(({ level }) => level)).toEqual(["auto", "review"])
  expect(toReviewFile(conversion.records).entries).toEqual([JSON.parse(reviewJson)])
})

test("every query in the page is a query, and the table lists every key", () => {
  const rows = rowsOf(section(13))
  expect(rows.map(([key = ""]) => unquoted(key))).toEqual([...queryKeys])
  const examples = rows.map((cells) => unquoted(cells.at(-1) ?? ""))
  const lines = (takeBlocks(page, "query", 1)[0] ?? "").split("\n").filter(Boolean)
  expect(lines.length).toBeGreaterThan(0)
  for (const query of [...lines, ...examples]) expect(parseQuery(query), query).toMatchObject({ kind: "query" })
})

test("the skill in the page is in the form that is written", () => {
  const [example = ""] = takeBlocks(page, "skill", 1)
  const skill = readSkill(example, "price-import")
  expect(skill.diagnostics).toEqual([])
  expect(writeSkill(skill)).toBe(example)
})

test("the view for SquadUI is the one of the full example", () => {
  expect(takeBlocks(page, "squadui", 1)).toEqual([renderSquadUiView([full])])
})

test("the example of an agent's memory leaves nothing to report", () => {
  const reading = readAgentMemory(takeBlocks(page, "yaml", 1)[0] ?? "")
  expect(reading).toMatchObject({ kind: "read", problems: [] })
  expect(reading.kind === "read" && isSessionId(reading.memory.sessionId)).toBe(true)
})

test("the tables of an agent's memory list every field of its schema, and mark what is required", () => {
  const schema = agentMemoryJsonSchema() as { $defs: Record<string, unknown> }
  const parts = [
    schema,
    ...["discovery", "attempt", "decision", "context", "archivedSpan"].map((id) => schema.$defs[id]),
  ]
  const tables = sessionFields.split("| Field | Type | Rule |\n").slice(1)
  expect(tables).toHaveLength(parts.length)
  for (const [index, table] of tables.entries()) {
    const { properties, required = [] } = parts[index] as { properties: object; required?: string[] }
    const cells = rowsOf(`| Field | Type | Rule |\n${table}`).map(([cell = ""]) => cell)
    const listed = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`(\*?)/g)])
    expect(listed.map(([, name]) => name).sort()).toEqual(Object.keys(properties).sort())
    expect(listed.flatMap(([, name, mark]) => (mark ? [name] : [])).sort()).toEqual([...required].sort())
  }
})

test("the table of problems lists every code, and no other", () => {
  const codes: Record<SessionProblemCode, true> = {
    syntax: true,
    "duplicate-key": true,
    "too-many-aliases": true,
    "custom-tag": true,
    "wrong-type": true,
    "missing-field": true,
    "unknown-value": true,
    "version-not-text": true,
    "newer-version": true,
    "session-mismatch": true,
    "duplicate-id": true,
    "unknown-reference": true,
    "invalid-timestamp": true,
    "older-than-file": true,
    contradiction: true,
    "too-long": true,
    "too-large": true,
    secret: true,
    "plan-mismatch": true,
  }
  const problems = sessionFields.slice(sessionFields.indexOf("## Problems"))
  expect(
    rowsOf(problems)
      .map(([code = ""]) => unquoted(code))
      .sort(),
  ).toEqual(Object.keys(codes).sort())
})

test("the file of a governed memory in the page is one, in the form that is written", () => {
  const memory = readMemoryFile(governed) as ClearedMemory
  expect(memory).toMatchObject({ class: "LOCAL", author: "Mira", loadGuidance: "ON-DEMAND" })
  expect(writeMemoryFile(memory)).toBe(governed)
})

test("the audit lines in the page are a chain", () => {
  const lines = (takeBlocks(page, "jsonl", 1)[0] ?? "").trimEnd().split("\n").map(readAuditLine)
  const links = lines.map((line) => (line.kind === "chained" && line.authentic ? line.link : undefined))
  expect(links.map((link) => link?.seq)).toEqual([1, 2])
  expect(links.map((link) => link?.prev)).toEqual(["", links[0]?.hash])
})

test("the table of what was learned lists every key that a memory must have", () => {
  const [, table = ""] = section(16).split("### What was learned")
  const keys = rowsOf(table).flatMap(([cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name))
  const optional = ["contributed_by", "source_memory_id"]
  const memory = learnedMemory()
  expect(keys.toSorted()).toEqual([...Object.keys(memory), ...optional].toSorted())
  const bundle = (one: object) =>
    JSON.stringify({ version: "1.0", exported_at: "2026-03-02T00:00:00Z", memories: [one] })
  expect(readLearnedBundle(bundle(memory))).toMatchObject({ kind: "bundle" })
  for (const key of Object.keys(memory))
    expect(readLearnedBundle(bundle({ ...memory, [key]: undefined })), key).toMatchObject({ kind: "unreadable" })
})

function learnedMemory() {
  const time = "2026-03-02T00:00:00Z"
  return {
    ...{
      id: "m-0123456789abcdef",
      project_id: null,
      scope: "global",
      path_prefix: null,
      owner_type: "user",
      owner_id: "mira",
    },
    ...{
      kind: "invariant",
      tier: "long_term",
      polarity: 1,
      key: null,
      text: "Use pnpm.",
      status: "active",
      confidence: 0.9,
    },
    ...{ created_at: time, updated_at: time, expires_at: null },
  }
}

/** The text of a numbered section, headings inside its examples included. */
function section(number: number): string {
  const start = text.search(new RegExp(`^## ${number}\\. `, "m"))
  const end = text.search(new RegExp(`^## ${number + 1}\\. `, "m"))
  expect(start).toBeGreaterThan(0)
  return text.slice(start, end === -1 ? undefined : end)
}

/** The cells of the first table's rows, its head left out. */
function rowsOf(markdown: string): string[][] {
  const table = /^\|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(markdown)?.[1] ?? ""
  const rows = table.trimEnd().split("\n")
  return rows.map((row) => row.split("|").slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()))
}

function unquoted(cell: string): string {
  return cell.replace(/^`|`$/g, "")
}

function onlyEntry(markdown: string) {
  const { entries } = readEntries(markdown, { kind: "decisions" })
  expect(entries).toHaveLength(1)
  return (entries[0] as (typeof entries)[number]).entry
}
