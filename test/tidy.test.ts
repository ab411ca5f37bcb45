import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { parseQuery } from "../src/formats/query.ts"
import { applyChange, withStore } from "../src/team/change.ts"
import { findStore, requireStore, type StoreFolder } from "../src/team/team-folder.ts"
import { planTidy } from "../src/team/team-tidy.ts"
import { fakeSecret, legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree, runGit, writeFiles } from "./run-cli.ts"

const clock = new Date("2026-11-15T12:00:00Z")
const decisions = ".squad/decisions.md"
const archive = ".squad/decisions-archive.md"

function dreyIn(root: string, now = clock) {
  return openDrey({ root, now: () => now, environment: { DREY_HOME: join(root, "home") } })
}

function textOf(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8")
}

async function idsOf(root: string): Promise<string[]> {
  const parsed = parseQuery("")
  if (parsed.kind !== "query") throw new Error("An empty query is a query.")
  const { entries } = await dreyIn(root).search.entries(parsed.query, { all: true })
  return entries.map(({ id }) => id).sort()
}

/** So many entries of about a kilobyte, one a day from the date on. */
function manyEntries(count: number, from = "2026-01-01", write = legacyEntry): string {
  const start = Date.parse(from)
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(start + index * 86_400_000).toISOString().slice(0, 10)
    return write(date, `Choice ${index}`, { what: `Take way ${index}. ${"It reads well. ".repeat(60)}` })
  }).join("\n")
}

const governed = `---
id: 0b54a3a0-6a3c-4c5e-9d51-0f6c2f4b7a11
class: DECISION
loadGuidance: [ALWAYS]
title: "Cache thumbnails"
author: "Wren"
createdAt: 2026-11-01T10:00:00.000Z
metadata: {"loadGuidance":"ALWAYS","scope":"project","tags":"images, cache","ticket":7}
---

# Cache thumbnails

They are made once.
`

test("merged decisions stay searchable under the same id", async () => {
  const index = [
    {
      id: "0b54a3a0-6a3c-4c5e-9d51-0f6c2f4b7a11",
      class: "DECISION",
      loadGuidance: "ALWAYS",
      title: "Cache thumbnails",
      path: ".squad\\decisions\\inbox\\wren-cache.md",
      status: "active",
      createdAt: "2026-11-01T10:00:00.000Z",
      updatedAt: "2026-11-01T10:00:00.000Z",
      extra: 1,
    },
  ]
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    ".squad/decisions/inbox/wren-cache.md": governed,
    ".squad/memory/index.json": `${JSON.stringify(index, null, 2)}\n`,
  })
  const { merged } = await dreyIn(root).team.merge({ acceptReview: true }) // it is marked [ALWAYS]
  expect(merged).toEqual([index[0]?.id])
  expect(await idsOf(root)).toEqual(merged)
  expect(JSON.parse(textOf(root, ".squad/memory/index.json"))).toEqual([
    { ...index[0], path: decisions, anchor: index[0]?.id, updatedAt: clock.toISOString() },
  ])
  expect(existsSync(join(root, ".squad/decisions/inbox/wren-cache.md"))).toBe(false)
  expect(textOf(root, decisions)).toContain("**loadGuidance:** ALWAYS")
  expect(textOf(root, decisions)).toContain('**metadata:** {"ticket":7}')
  expect(textOf(root, decisions)).toContain("**scope:** project  \n**tags:** images, cache  \n")
})

test("a policy of governed memory merges as a directive", async () => {
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n\n## Active Decisions\n\nNo decisions recorded yet.\n",
    ".squad/memory/policy-inbox/rule.md": governed.replace("DECISION", "POLICY"),
  })
  await dreyIn(root).team.merge()
  expect(textOf(root, decisions)).toContain(": directive: Cache thumbnails")
  expect(textOf(root, decisions)).not.toContain("No decisions recorded yet")
})

test("forbidden content is set aside, and no output contains it", async () => {
  const secret = fakeSecret()
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    ".squad/decisions/inbox/rook-deploy.md": legacyEntry("2026-02-03", "Deploy", { what: `Use ${secret}.` }),
    ".squad/decisions/inbox/rook-tabs.md": legacyEntry("2026-02-03", "Use tabs"),
  })
  const result = await dreyIn(root).team.merge()
  const quarantine = ".squad/decisions/inbox/.quarantine"
  expect(result.quarantined).toEqual([
    {
      path: ".squad/decisions/inbox/rook-deploy.md",
      to: `${quarantine}/rook-deploy.md`,
      lines: [{ line: 3, reason: "access token", rule: expect.any(String) }],
    },
  ])
  expect(result.merged).toHaveLength(1)
  expect(JSON.stringify(result)).not.toContain(secret)
  expect(textOf(root, `${quarantine}/report.txt`)).toContain("rook-deploy.md:3 access token")
  expect(textOf(root, `${quarantine}/report.txt`)).not.toContain(secret)
  expect(textOf(root, `${quarantine}/.gitignore`)).toBe("*\n")
  expect(textOf(root, decisions)).not.toContain(secret)
})

test("every merged and every quarantined file has its line in the audit, with a title only where one was given", async () => {
  const secret = fakeSecret()
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    ".squad/decisions/inbox/rook-deploy.md": legacyEntry("2026-02-03", "Deploy", { what: `Use ${secret}.` }),
    ".squad/decisions/inbox/rook-tabs.md": legacyEntry("2026-02-03", "Use tabs", { what: "They are wider." }),
    ".squad/decisions/inbox/wren.md": governed
      .replace(/metadata: .*/, "metadata: {}")
      .replace("Cache thumbnails", "Lanterns need oil every night.")
      .replace(/# Cache[\s\S]*$/, "Lanterns need oil every night.\n"),
  })
  expect((await dreyIn(root).team.merge({ dryRun: true })).merged).toHaveLength(2)
  expect(existsSync(join(root, ".squad/memory"))).toBe(false)
  const { merged } = await dreyIn(root).team.merge()
  const memory = dreyIn(root).governed
  expect(await memory.audit()).toMatchObject([
    {
      action: "reject",
      class: "FORBIDDEN",
      title: "Rejected governed memory",
      path: ".squad/decisions/inbox/.quarantine/rook-deploy.md",
      reason: "Rejected as forbidden memory: access token",
    },
    { action: "write", id: merged[0], class: "DECISION", title: "Use tabs", path: decisions, actor: "Rook" },
    { action: "write", id: merged[1], title: "Merged governed memory", path: decisions },
  ])
  expect(await memory.verifyAudit()).toMatchObject({ ok: true })
  const audit = textOf(root, ".squad/memory/audit.jsonl")
  for (const content of [secret, "wider", "Lanterns"]) expect(audit).not.toContain(content)
})

test.each([
  ["redact", "Ask [email] first.", []],
  ["allow", "Ask ines.falk@corp-mail.com first.", []],
  ["reject", undefined, [{ line: 3, reason: "PII-like identifier", rule: "email" }]],
] as const)("policy.pii %s decides what merging does with an address", async (pii, merged, lines) => {
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    ".squad/memory/config.json": JSON.stringify({ policy: { pii } }),
    ".squad/decisions/inbox/rook.md": legacyEntry("2026-02-03", "Ask", { what: "Ask ines.falk@corp-mail.com first." }),
  })
  const { quarantined } = await dreyIn(root).team.merge()
  expect(quarantined.flatMap((file) => file.lines)).toEqual(lines)
  expect(/Ask .* first\./.exec(textOf(root, decisions))?.[0]).toBe(merged)
  expect(textOf(root, ".squad/memory/audit.jsonl")).not.toContain("ines.falk")
})

test("an entry marked for review stays in the inbox until a person accepts it, and then loses the mark", async () => {
  const path = ".squad/decisions/inbox/rules.md"
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    [path]: semEntry("2026-02-03T10:00:00+0000", "directive", "Use tabs", { fields: ["**review:** imported rule"] }),
  })
  const waiting = await dreyIn(root).team.merge()
  expect(waiting.merged).toEqual([])
  expect(waiting.left).toEqual([{ path, why: "imported rule", waits: true }])
  expect(existsSync(join(root, path))).toBe(true)
  const { merged } = await dreyIn(root).team.merge({ acceptReview: true })
  expect(merged).toEqual(await idsOf(root))
  expect(textOf(root, decisions)).toContain("directive: Use tabs")
  expect(textOf(root, decisions)).not.toContain("review")
})

test("merge and archive pass governance, and every entry keeps its record in the index", async () => {
  const secret = fakeSecret()
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n${manyEntries(30, "2026-09-01")}`,
    ".squad/decisions/inbox/rook.md": legacyEntry("2026-02-03", "Deploy", { what: `Use ${secret}.` }),
  })
  const memory = dreyIn(root, new Date("2026-01-01T00:00:00Z")).governed
  const written = await memory.write({ content: "Thumbnails are made once.", title: "Cache", class: "DECISION" })
  if (!written.stored) throw new Error("not stored")
  await dreyIn(root).team.merge()
  expect(textOf(root, decisions)).not.toContain(secret)
  await dreyIn(root).team.archive()
  expect(textOf(root, archive)).toContain("Thumbnails are made once.")
  expect(textOf(root, archive)).not.toContain(secret)
  expect(await memory.read(written.id)).toMatchObject({ content: expect.stringContaining("Thumbnails are made once.") })
  expect(await memory.search("thumbnails", { all: true })).toMatchObject([{ id: written.id, path: archive }])
  const checks = await dreyIn(root).team.check()
  expect(checks.find(({ name }) => name === "index against files")).toMatchObject({ status: "pass" })
})

test("doctor finds an entry that bypassed governance", async () => {
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    ".squad/memory/local/wren-cache-0b54a3a0.md": governed.replace("DECISION", "LOCAL"),
    ".squad/memory/index.json": "[]\n",
  })
  const checks = await dreyIn(root).team.check()
  expect(checks.find(({ name }) => name === "index against files")).toMatchObject({
    status: "warn",
    message: expect.stringContaining("wren-cache"),
  })
})

test("copies become one entry with all its authors, and a new entry without a date gets the time of the merge", async () => {
  const root = makeRepository({
    ".squad/team.md": "| Name |\n|---|\n| Rook |\n| Wren |\n",
    [decisions]: `# Squad Decisions\n\n${semEntry("2026-11-15T12:00:00+0000", "note", "Taken second")}`,
    ".squad/decisions/inbox/rook-tabs.md":
      "# Use tabs\n\n**By:** Rook\n\nThey are wider.\n\n## Context\n\nWe argued.\n",
    ".squad/decisions/inbox/wren-tabs.md":
      "# Use tabs\n\n**By:** Wren\n\nThey are wider.\n\n## Context\n\nWe argued.\n",
  })
  const { merged, duplicates } = await dreyIn(root).team.merge()
  expect(merged).toHaveLength(1)
  expect(duplicates).toEqual([{ path: ".squad/decisions/inbox/wren-tabs.md", of: merged[0] }])
  const text = textOf(root, decisions)
  expect(text).toContain("### 2026-11-15T12:00:01+0000: ")
  expect(text).toContain("**author:** Rook  \n**contributors:** Wren  \n")
  expect(text).not.toMatch(/^#{1,3} Context/m)
})

test("a copy of a standing decision adds its author there", async () => {
  const standing = semEntry("2026-02-03T10:00:00+0000", "decision", "Use tabs")
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n${standing}`,
    ".squad/decisions/inbox/rook.md": semEntry("2026-02-05T10:00:00+0000", "decision", "Use tabs", { author: "Rook" }),
  })
  const { merged } = await dreyIn(root).team.merge()
  expect(merged).toEqual([])
  expect(textOf(root, decisions)).toBe(
    `# Squad Decisions\n\n${standing.replace("**author:** Wren  \n", "**author:** Wren  \n**contributors:** Rook  \n")}`,
  )
})

test("a superseded entry is marked and archived first, and permanent entries stay", async () => {
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n${semEntry("2026-10-30T10:00:00+0000", "decision", "Use tabs")}\n${semEntry("2025-01-01T10:00:00+0000", "decision", "Keep it", { fields: ["**tags:** permanent"] })}\n${manyEntries(25, "2026-10-17")}`,
    ".squad/decisions/inbox/rook.md": semEntry("2026-11-14T10:00:00+0000", "decision", "Use spaces", {
      fields: ["**supersedes:** 2026-10-30T10:00:00+0000"],
    }),
  })
  const before = await idsOf(root)
  const { actions } = await dreyIn(root).team.tidy()
  expect(actions.map(({ type }) => type)).toContain("archive")
  expect(textOf(root, archive)).toContain("**supersededBy:** 2026-11-14T10:00:00+0000  \n")
  expect(textOf(root, archive)).toContain("decision: Use tabs")
  expect(textOf(root, decisions)).toContain("decision: Keep it")
  expect(textOf(root, decisions)).toContain("decision: Use spaces")
  expect(await idsOf(root)).toEqual(before)
})

test("a superseded legacy entry is marked in its own style", async () => {
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n### 2026-02-03T10:00:00Z: Use tabs\n**By:** Rook\n**What:** Tabs.\n`,
    ".squad/decisions/inbox/rook.md": semEntry("2026-11-14T10:00:00+0000", "decision", "Use spaces", {
      fields: ["**supersedes:** 2026-02-03T10:00:00Z"],
    }),
  })
  await dreyIn(root).team.merge()
  expect(textOf(root, decisions)).toContain("Use tabs\n**Status:** Superseded by Use spaces\n**By:** Rook\n")
})

test("near duplicates are reported, and consolidated only on request, the originals archived", async () => {
  const long = (word: string) =>
    `Every job of the importer goes through one ${word} so that nothing is lost when a worker dies in between.`
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n${legacyEntry("2026-02-03", "Use one queue", { what: long("queue") })}`,
    ".squad/decisions/inbox/wren.md": legacyEntry("2026-02-05", "Use one queue", { by: "Wren", what: long("line") }),
  })
  const first = await dreyIn(root).team.merge()
  expect(first.nearDuplicates).toMatchObject([{ titles: ["Use one queue", "Use one queue"] }])
  expect(await idsOf(root)).toHaveLength(2)
  const second = await dreyIn(root).team.merge({ consolidate: true })
  expect(second.consolidated).toHaveLength(1)
  const text = textOf(root, decisions)
  expect(text).toContain("decision: Use one queue (consolidated)")
  expect(text).toMatch(/\*\*author:\*\* Wren {2}\n\*\*contributors:\*\* Rook/)
  expect(text.match(/^### /gm)).toHaveLength(1)
  expect(await idsOf(root)).toEqual(expect.arrayContaining(first.merged))
  expect(textOf(root, archive)).toContain("goes through one queue")
  expect(textOf(root, archive)).toContain("goes through one line")
})

test("agents that a decision names get a note about it, each an entry of its own, also below an entry with a fence", async () => {
  const history = `# History\n\n## Learnings\n\n${semEntry("2026-02-03T10:00:00+0000", "memory", "Fences", { rationale: "```md\n## Learnings\n```" })}`
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    ".squad/agents/rook/history.md": history,
    ".squad/decisions/inbox/wren.md": legacyEntry("2026-02-05", "Two queues", {
      by: "Wren",
      what: "Rook owns the second.",
    }),
  })
  expect((await dreyIn(root).team.merge()).told).toEqual(["rook"])
  writeFiles(root, {
    ".squad/decisions/inbox/wren.md": semEntry("2026-02-06T10:00:00+0000", "decision", "One", {
      fields: ["**scope:** agent:rook"],
    }),
  })
  await dreyIn(root).team.merge()
  const text = textOf(root, ".squad/agents/rook/history.md")
  expect(text).toContain(history.slice(history.indexOf("### "))) // a fence that it leaves open must hide no note
  expect(text).not.toContain("📌")
  expect(text.match(/^### 2026-11-15T12:00:0[01]\+0000: note: Team update: (?:Two queues|One)$/gm)).toHaveLength(2)
  expect(
    text.match(/^\*\*author:\*\* Wren {2}\n\*\*scope:\*\* agent:rook {2}\n\*\*tags:\*\* team-update {2}$/gm),
  ).toHaveLength(2)
  expect(await idsOf(root)).toHaveLength(5)
})

test("archiving loses no decision and no sub-section, and one undo restores every byte", async () => {
  const sections =
    legacyEntry("2026-01-15", "With sections") +
    "\n## Context\n\nLong ago.\n\n```md\n### 2026-01-01: Not an entry\n```\n\n## Impact\n\nSmall.\n"
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n${sections}\n${manyEntries(40)}\n## Governance\n\nBy all.\n`,
  })
  const before = readTree(join(root, ".squad"))
  const ids = await idsOf(root)
  const { after, actions } = await dreyIn(root).team.archive()
  expect(after.decisionBytes).toBeLessThan(20_480)
  expect(after.decisionBytes).toBeGreaterThan(18_000) // what may stay does
  expect(actions).toMatchObject([{ type: "archive", target: decisions, bytesSaved: expect.any(Number) }])
  expect(await idsOf(root)).toEqual(ids)
  expect(textOf(root, archive)).toContain(sections.trimEnd())
  expect(textOf(root, decisions)).toContain("## Governance\n\nBy all.\n")
  await dreyIn(root).team.changes.undo()
  const isTheirs = ([path]: [string, string]) => !/^(?:\.drey|memory)(?:\/|$)/.test(path) // the audit records the undo
  const restored = Object.entries(readTree(join(root, ".squad"))).filter(isTheirs)
  expect(Object.fromEntries(restored)).toEqual(before)
})

test("undated decisions are dated by git, and without git the reason is reported", async () => {
  const undatedEntries = Array.from(
    { length: 30 },
    (_, index) => `### Choice ${index}\n**By:** Rook\n**What:** ${`Way ${index}. `.repeat(90)}\n`,
  ).join("\n")
  const text = `# Squad Decisions\n\n${undatedEntries}`
  const plain = makeRepository({ [decisions]: text })
  const { notes, actions } = await dreyIn(plain).team.archive()
  expect(actions).toEqual([])
  expect(notes[0]).toMatch(/30 without a date, not even in git/)

  const root = makeRepository({ [decisions]: text })
  runGit(root, "init", "--quiet")
  runGit(root, "add", ".")
  runGit(root, "-c", "user.useConfigOnly=false", "commit", "--quiet", "-m", "start", "--date", "2026-01-05T10:00:00Z")
  const ids = await idsOf(root)
  const result = await dreyIn(root, new Date("2028-01-01T00:00:00Z")).team.archive()
  expect(result.after.decisionBytes).toBeLessThan(20_480)
  expect(await idsOf(root)).toEqual(ids)
})

test("an archive that git ignores is refused and nothing moves", async () => {
  const root = makeRepository({ ".gitignore": "*archive*\n", [decisions]: `# Squad Decisions\n\n${manyEntries(40)}` })
  runGit(root, "init", "--quiet")
  const { refused, actions } = await dreyIn(root).team.archive()
  expect(refused).toEqual([expect.stringContaining(".squad/decisions-archive.md is ignored by git")])
  expect(actions).toEqual([])
  expect(existsSync(join(root, archive))).toBe(false)
})

test("what is marked as permanent is never moved, and what keeps the file large is listed with the largest", async () => {
  const permanent = manyEntries(60, "2025-01-01", (date, title, options) =>
    semEntry(`${date}T10:00:00+0000`, "directive", title, {
      rationale: options?.what ?? "",
      fields: ["**tags:** permanent"],
    }),
  )
  const root = makeRepository({ [decisions]: `# Squad Decisions\n\n${permanent}` })
  const before = textOf(root, decisions)
  const { notes } = await dreyIn(root).team.archive()
  expect(textOf(root, decisions)).toBe(before)
  expect(notes[0]).toMatch(
    /more than its limit of 20480 B. What is left: 60 permanent, policy or \[ALWAYS\] .* Largest: "Choice/,
  )
})

test("notes go before decisions and directives, and of decisions those that no task needed", async () => {
  const note = (date: string, title: string, options?: { what?: string }) =>
    semEntry(`${date}T10:00:00+0000`, "note", title, { rationale: options?.what ?? "" })
  const directive = (date: string, title: string, options?: { what?: string }) =>
    semEntry(`${date}T10:00:00+0000`, "directive", title, { rationale: options?.what ?? "" })
  const needed = semEntry("2024-01-01T10:00:00+0000", "decision", "Invoices are rendered by headless Chromium")
  const text = (notes: number) =>
    `# Squad Decisions\n\n${manyEntries(10, "2024-03-01", directive)}\n${needed}\n${manyEntries(8, "2025-01-01")}\n${manyEntries(notes, "2026-01-01", note)}`
  const root = makeRepository({ [decisions]: text(12) })
  await dreyIn(root).context.build({ task: "Render the invoices with headless Chromium" })
  await dreyIn(root).team.archive()
  expect(textOf(root, archive)).toMatch(/: note: /)
  expect(textOf(root, archive)).not.toMatch(/: directive: |### 2025-/)
  writeFiles(root, { [decisions]: text(0) + manyEntries(10, "2025-06-01") })
  await dreyIn(root).team.archive()
  expect(textOf(root, archive)).toMatch(/### 2025-/)
  expect(textOf(root, archive)).not.toMatch(/: directive: /)
  expect(textOf(root, decisions)).toContain("headless Chromium") // the oldest decision, but one that a task needed
})

test("--quarterly archives are named after the quarter of the entry", async () => {
  const root = makeRepository({ [decisions]: `# Squad Decisions\n\n${manyEntries(30, "2026-03-20")}` })
  const ids = await idsOf(root)
  await dreyIn(root).team.archive({ quarterly: true })
  expect(textOf(root, ".squad/decisions/archive/2026-Q1.md")).toContain("Choice 0")
  expect(await idsOf(root)).toEqual(ids)
})

test("the archive operations write the archives of decisions and of histories", async () => {
  const history = ".squad/agents/rook/history.md"
  const lessons = Array.from({ length: 80 }, (_, index) => `- Lesson ${index}: ${"it pays off. ".repeat(14)}`)
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n${manyEntries(30)}`,
    [history]: `# Rook\n\n## Learnings\n\n${lessons.join("\n")}\n`,
  })
  const ids = await idsOf(root)
  expect((await dreyIn(root).team.archive()).refused).toEqual([])
  expect((await dreyIn(root).team.summarize()).refused).toEqual([])
  expect(textOf(root, archive)).toContain("Choice 0")
  expect(textOf(root, ".squad/agents/rook/history-archive.md")).toContain("Lesson 0:")
  expect(await idsOf(root)).toEqual(ids)
})

test("a long history keeps its profile and its newest parts, and its digest is replaced, not repeated", async () => {
  const bullets = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `- Lesson ${from + index}: ${"it pays off. ".repeat(12)}`).join("\n")
  const path = ".squad/agents/rook/history.md"
  const root = makeRepository({
    [path]: `# Rook\n\n## Project Context\n\nRook builds the index.\n\n## Learnings\n\n${bullets(0, 90)}\n\n${legacyEntry("2026-05-05", "Queues block")}`,
  })
  const ids = await idsOf(root)
  await dreyIn(root).team.summarize()
  const first = textOf(root, path)
  expect(Buffer.byteLength(first)).toBeLessThanOrEqual(12_288)
  expect(first).toContain("Rook builds the index.")
  expect(first).toContain("Lesson 89:")
  expect(first).not.toContain("- Lesson 0:")
  expect(await idsOf(root)).toEqual(ids)
  expect(first).toMatch(/## Summary of archived entries\n\n\d+ older entries in history-archive\.md, newest first\. /)
  writeFiles(root, { [path]: `${first}\n## Learnings\n\n${bullets(90, 60)}\n` })
  const more = await idsOf(root)
  await dreyIn(root).team.summarize()
  const second = textOf(root, path)
  expect(second.match(/## Summary of archived entries/g)).toHaveLength(1)
  expect(Buffer.byteLength(second)).toBeLessThanOrEqual(12_288)
  expect(await idsOf(root)).toEqual(more)
})

const history = ".squad/agents/rook/history.md"
const historyArchive = ".squad/agents/rook/history-archive.md"

function datedLessons(from: string, count: number): string {
  const start = Date.parse(from)
  const lessons = Array.from({ length: count }, (_, index) => {
    const date = new Date(start + index * 86_400_000).toISOString().slice(0, 10)
    return `### ${date}: Lesson of ${date}\n\nThe queue ${date} needs a second worker. ${"It was measured. ".repeat(20)}\n`
  })
  return lessons.join("\n")
}

function digestOf(root: string): string {
  return /## Summary of archived entries[\s\S]*?(?=\n## )/.exec(textOf(root, history))?.[0] ?? ""
}

async function archivedIds(root: string): Promise<string[]> {
  const parsed = parseQuery("")
  if (parsed.kind !== "query") throw new Error("An empty query is a query.")
  const { entries } = await dreyIn(root).search.entries(parsed.query, { all: true })
  return entries.filter(({ path }) => path === historyArchive).map(({ id }) => id)
}

test("the digest of a history has a sentence for the newest, a phrase for older ones, and every id, the oldest by month", async () => {
  const root = makeRepository({
    [history]: `# Rook\n\n## Core Context\n\nRook.\n\n## Learnings\n\n${datedLessons("2026-01-01", 100)}`,
  })
  await dreyIn(root).team.summarize()
  const first = digestOf(root)
  expect(first).toMatch(
    /\n2026-0\d-\d\d: Lesson of (\S+): The queue \1 needs a second worker\. \[sem-[0-9a-f]{12}\] {2}\n/,
  )
  expect(first).toMatch(/\n2026-01: Lesson of 2026-01-31 \[[0-9a-f]{6}\]; Lesson of 2026-01-30 /)
  expect(Buffer.byteLength(first)).toBeLessThanOrEqual(4096)
  const ids = await archivedIds(root)
  for (const id of ids) expect(first).toContain(id.slice(4, 10))
  const before = readTree(join(root, ".squad/agents"))
  expect((await dreyIn(root).team.summarize()).actions).toEqual([])
  expect(readTree(join(root, ".squad/agents"))).toEqual(before)
  writeFiles(root, { [history]: `${textOf(root, history)}\n${datedLessons("2026-05-01", 90)}` })
  const grown = readTree(join(root, ".squad/agents"))
  await dreyIn(root).team.summarize()
  const second = digestOf(root)
  expect(second).toMatch(/\n2026-01: \[(?:[0-9a-f]{6} ?)+\] {2}\n/)
  expect(Buffer.byteLength(second)).toBeLessThanOrEqual(4096)
  const more = await archivedIds(root)
  expect(more.length).toBeGreaterThan(ids.length + 80)
  for (const id of [...ids, ...more]) expect(second).toContain(id.slice(4, 10))
  await dreyIn(root).team.changes.undo()
  expect(readTree(join(root, ".squad/agents"))).toEqual(grown)
})

test("a digest has one sentence of content per entry: no state, table row, list of files or section name", async () => {
  const body = `\n\n${"It was measured. ".repeat(40)}\n\n`
  const root = makeRepository({
    [history]: [
      "# Rook\n\n## Learnings\n\n",
      `### 2026-01-01: Caches are warmed at start\n\n**Status:** done${body}`,
      `### 2026-01-02: Queues have two workers\n\n| a | b |\n|---|---|\n| 1 | 2 |${body}`,
      `### 2026-01-03: Reviews of the parser\n\nsrc/a.ts, src/b.ts${body}`,
      `### 2026-01-04: Outcome\n\nThe importer reads both forms.${body}`,
      datedLessons("2026-03-01", 40),
    ].join(""),
  })
  await dreyIn(root).team.summarize()
  const lines = digestOf(root).split("\n")
  const phrases = lines.find((line) => line.startsWith("2026-01: ")) ?? ""
  const sentences = [...lines.filter((line) => line.startsWith("2026-01-")), phrases].join("\n")
  expect(sentences).toMatch(/Caches are warmed at start(?:: It was measured\.)? \[/)
  expect(sentences).toMatch(/Queues have two workers(?:: It was measured\.)? \[/)
  expect(sentences).toMatch(/Reviews of the parser(?:: It was measured\.)? \[/)
  expect(sentences).toContain("The importer reads both forms. [")
})

test("the title, the guide and the core context of a history stay, wherever they are; a lead-in goes with its bullets", async () => {
  const steps = (word: string) => Array.from({ length: 12 }, (_, at) => `- ${word} ${at}: ${"it holds. ".repeat(20)}`)
  const root = makeRepository({
    [history]: [
      "# Summary (as of 2026-06-06)\n\nFile of Rook.\n\n## 📌 Core Context — Rook's areas\n\n- Rook owns the index.\n\n",
      "## Learnings\n\n<!-- Append new learnings below. -->\n\n*What Rook found out.*\n\n",
      `**First round:**\n\n${steps("First").join("\n")}\n\n**Last round:**\n\n${steps("Last").join("\n")}\n\n`,
      datedLessons("2026-01-01", 40),
    ].join(""),
  })
  await dreyIn(root).team.summarize()
  const text = textOf(root, history)
  const kept = ["# Summary (as of", "File of Rook.", "## 📌 Core Context — Rook's areas", "- Rook owns the index."]
  for (const line of [...kept, "<!-- Append new", "*What Rook found out.*"]) expect(text).toContain(line)
  expect(text.indexOf("# Summary (as of")).toBe(0)
  const archived = textOf(root, historyArchive)
  for (const [leadIn, last] of [
    ["**First round:**", "- First 11"],
    ["**Last round:**", "- Last 11"],
  ] as const) {
    expect(archived.includes(leadIn)).toBe(archived.includes(last))
    expect(text.includes(leadIn)).toBe(text.includes(last))
  }
})

test("a profile under another heading and a summary of what was archived by hand stay in a history", async () => {
  const root = makeRepository({
    [history]: [
      "# Rook\n\n### Project learnings (from import)\n\n**Project:** Pumpkin  \n**Owner:** Mike  \n**Stack:** Python  \n\n",
      "## Summary: M1 to M9 (archived)\n\nThe first nine went well.\n\n## Learnings\n\n",
      `### Rolling eyes\n\nThe eyes roll.\n\n${datedLessons("2026-01-01", 40)}`,
    ].join(""),
  })
  await dreyIn(root).team.summarize()
  const text = textOf(root, history)
  for (const kept of ["### Project learnings", "**Owner:** Mike", "## Summary: M1 to M9", "first nine", "## Learnings"])
    expect(text).toContain(kept)
  expect(text).not.toContain("The eyes roll.\n")
})

test("text of a history that is not an entry becomes one in the archive, in the digest and for its agent", async () => {
  const root = makeRepository({
    [decisions]: "# Squad Decisions\n",
    [history]: `# Rook\n\n## Learnings\n\n### Rolling eyes (issue 21)\n\nThe eyes roll from where they are.\n\n\`\`\`md\n## Not a heading\n\`\`\`\n\n${datedLessons("2026-01-01", 40)}`,
  })
  await dreyIn(root).team.summarize()
  expect(textOf(root, history)).not.toContain("The eyes roll from where they are.\n")
  expect(textOf(root, historyArchive)).toContain(
    "- **Rolling eyes (issue 21)**\n\n  The eyes roll from where they are.\n\n  ```md\n  ## Not a heading\n  ```\n",
  )
  expect(digestOf(root)).toMatch(/Rolling eyes \(issue 21\)/)
  const { context } = await dreyIn(root).context.build({
    agent: "rook",
    task: "Why do the eyes roll from where they are?",
  })
  expect(context.text).toContain("The eyes roll from where they are.")
})

test("a digest names the undated sections that were archived with the entry above them", async () => {
  const body = "It was measured. ".repeat(40)
  const root = makeRepository({
    [history]: [
      "# Rook\n\n## Learnings\n\n",
      `### Caches are warm (2026-01-01)\n\nThey fill at start.\n\n#### How\n\nBy a job. ${body}\n\n`,
      `### Names of branches\n\nA branch begins with its issue. ${body}\n\n### Empty\n\n${datedLessons("2026-03-01", 40)}`,
    ].join(""),
  })
  await dreyIn(root).team.summarize()
  const rows = digestOf(root).match(/(?:Caches are warm|Names of branches)[^[]*\[\w[^\]]*\]/g) ?? []
  expect(rows.map((row) => row.replace(/ \[.*/, ""))).toEqual([
    expect.stringMatching(/^Caches are warm/),
    expect.stringMatching(/^Names of branches/),
  ])
  expect(new Set(rows.map((row) => /\[(?:sem-)?(\w{6})/.exec(row)?.[1])).size).toBe(1) // one id opens both
  expect(digestOf(root)).not.toMatch(/How:|Empty/)
})

test("old logs are moved, and deleted only on request", async () => {
  const files = {
    [decisions]: "# Squad Decisions\n",
    ".squad/log/2026-06-02T21-15-30Z-parser.md": "old\n",
    ".squad/log/2026-11-14-fresh.md": "new\n",
  }
  const root = makeRepository(files)
  const planned = await dreyIn(root).team.tidy({ dryRun: true })
  expect(planned.actions).toMatchObject([{ type: "archive", target: ".squad/log" }])
  expect(existsSync(join(root, ".squad/.drey"))).toBe(false)
  await dreyIn(root).team.tidy()
  expect(textOf(root, ".squad/log/archive/2026-06-02T21-15-30Z-parser.md")).toBe("old\n")
  const pruned = makeRepository(files)
  await dreyIn(pruned).team.tidy({ pruneLogs: true })
  expect(Object.keys(readTree(join(pruned, ".squad/log")))).toEqual(["2026-11-14-fresh.md"])
})

test("a captured directive is in decisions.md at once, and one undo reverts it", async () => {
  const root = makeRepository({ [decisions]: "# Squad Decisions\n" })
  const drey = dreyIn(root)
  expect(await drey.team.captureDirective("Always use single quotes.", "Ines")).toMatchObject({
    kind: "captured",
    acknowledgement: "📌 Captured. Always use single quotes.",
  })
  expect(textOf(root, decisions)).toContain(": directive: Always use single quotes.\n")
  expect(await drey.team.captureDirective("Always use single quotes.", "Ines")).toMatchObject({ kind: "known" })
  expect(await drey.team.captureDirective("Fix the parser.", "Ines")).toEqual({ kind: "no-directive" })
  expect(await drey.team.captureDirective(`Always log in with ${fakeSecret()}`, "Ines")).toMatchObject({
    kind: "refused",
  })
  await drey.team.changes.undo()
  expect(textOf(root, decisions)).toBe("# Squad Decisions\n")
})

test("a plan for a file that has changed since is refused, and nothing is overwritten", async () => {
  const root = makeRepository({
    [decisions]: `# Squad Decisions\n\n${manyEntries(40)}`,
    ".squad/decisions/inbox/rook.md": legacyEntry("2026-02-03", "Use tabs"),
  })
  const store = findStore(root, `${root}/home`)
  const folder = requireStore(store).folders[0] as StoreFolder
  const { changes } = planTidy(store, folder, [{ kind: "merge" }, { kind: "archive" }], clock)
  writeFiles(root, { [decisions]: `${textOf(root, decisions)}\nA word that a person added meanwhile.\n` })
  const before = readTree(root)
  await expect(withStore(folder, () => applyChange(folder, "tidy", changes, clock))).rejects.toThrow(
    ".squad/decisions.md changed in the meantime; nothing was written",
  )
  const after = Object.entries(readTree(root)).filter(([path]) => !path.startsWith(".squad/.drey"))
  expect(Object.fromEntries(after)).toEqual(before)
})

test("concurrent merges lose nothing", async () => {
  const inbox = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `.squad/decisions/inbox/rook-${index}.md`,
      legacyEntry("2026-02-03", `Choice ${index}`),
    ]),
  )
  const root = makeRepository({ [decisions]: "# Squad Decisions\n", ...inbox })
  await Promise.all([1, 2, 3].map(() => dreyIn(root).team.merge()))
  expect(await idsOf(root)).toHaveLength(12)
  expect(new Set(await idsOf(root)).size).toBe(12)
})
