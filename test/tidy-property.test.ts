import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { parseQuery } from "../src/formats/query.ts"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"

const clock = new Date("2026-11-15T12:00:00Z")

const day = fc.integer({ min: 0, max: 700 }).map((days) => new Date(clock.getTime() - days * 86_400_000).toISOString())
const filler = fc.integer({ min: 1, max: 120 }).map((times) => "It reads well. ".repeat(times))
const body = fc.tuple(
  fc.constantFrom(
    "",
    "\n## Context\n\nLong ago.\n",
    "\n```md\n### 2026-01-01: No entry\n---\n```\n",
    "\n---\n\nMore.\n",
    "\n~~~\nnever closed\n",
  ),
  filler,
)

const entry = fc
  .tuple(day, fc.nat(400), body, fc.constantFrom("legacy", "sem", "directive", "note", "permanent", "plain"))
  .map(([time, number, [extra, text], form]) => {
    const stamp = `${time.slice(0, 19)}+0000`
    const title = `Choice ${number}`
    if (form === "legacy") return `${legacyEntry(time.slice(0, 10), title, { what: text })}${extra}`
    if (form === "plain") return `## ${title}\n\n**Author:** Wren\n**Date:** ${time.slice(0, 10)}\n\n${text}\n${extra}`
    const type = form === "directive" || form === "note" ? form : "decision"
    const fields = form === "permanent" ? ["**tags:** permanent"] : []
    return semEntry(stamp, type, title, { fields, rationale: text })
  })

const store = fc.record({
  decisions: fc.array(entry, { maxLength: 40 }),
  archive: fc.array(entry, { maxLength: 4 }),
  inbox: fc.array(entry, { maxLength: 4 }),
  lessons: fc.array(fc.tuple(fc.nat(500), filler), { maxLength: 40 }),
  history: fc.array(entry, { maxLength: 10 }),
  windows: fc.boolean(),
  mark: fc.boolean(),
})

/** Each run is a whole folder, tidied twice. */
const runs = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 12_000) / 200)

test("tidy keeps every entry of any store, whatever its style, fences and line ends", {
  timeout: 60_000 + runs * 3000,
}, async () => {
  const root = mkdtempSync(join(tmpdir(), "drey-property-"))
  try {
    await fc.assert(
      fc.asyncProperty(store, async (content) => {
        rmSync(join(root, ".squad"), { recursive: true, force: true })
        write(root, content)
        const before = await idsOf(root)
        const result = await tidy(root)
        const present = new Set(await idsOf(root))
        const copies = new Set(result.duplicates.map(({ of }) => of))
        const missing = before.filter((id) => !present.has(id))
        expect(missing.length).toBeLessThanOrEqual(copies.size) // a copy under another id is the one thing that may go
        if (result.duplicates.length === 0) expect(missing).toEqual([])
        const again = await tidy(root)
        expect(again.actions).toEqual([])
      }),
      { numRuns: runs },
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

type Content = typeof store extends fc.Arbitrary<infer Value> ? Value : never

function write(root: string, content: Content): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    const marked = content.mark ? `\uFEFF${text}` : text
    writeFileSync(join(root, path), content.windows ? marked.replaceAll("\n", "\r\n") : marked)
  }
  put(".squad/decisions.md", `# Squad Decisions\n\n${content.decisions.join("\n")}\n## Governance\n\nBy all.\n`)
  if (content.archive.length > 0) put(".squad/decisions-archive.md", content.archive.join("\n"))
  for (const [index, text] of content.inbox.entries()) put(`.squad/decisions/inbox/rook-${index}.md`, text)
  const lessons = content.lessons.map(([number, text]) => `- Lesson ${number}: ${text}`).join("\n")
  put(
    ".squad/agents/rook/history.md",
    `# Rook\n\n## Core Context\n\nRook.\n\n## Learnings\n\n${lessons}\n\n${content.history.join("\n")}`,
  )
}

function tidy(root: string) {
  return openDrey({ root, now: () => clock, environment: { DREY_HOME: join(root, "home") } }).team.tidy()
}

async function idsOf(root: string): Promise<string[]> {
  const parsed = parseQuery("-tag:team-update")
  if (parsed.kind !== "query") throw new Error("This is a query.")
  const drey = openDrey({ root, now: () => clock, environment: { DREY_HOME: join(root, "home") } })
  return (await drey.search.entries(parsed.query, { all: true })).entries.map(({ id }) => id)
}

test("tidy does not change a byte of a file that needs nothing", async () => {
  const root = mkdtempSync(join(tmpdir(), "drey-property-"))
  const text = `\uFEFF# Squad Decisions\r\n\r\n${legacyEntry("2026-01-05", "Use tabs").replaceAll("\n", "\r\n")}`
  mkdirSync(join(root, ".squad"))
  writeFileSync(join(root, ".squad/decisions.md"), text)
  await tidy(root)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(text)
  rmSync(root, { recursive: true, force: true })
})
