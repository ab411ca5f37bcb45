import { createHash } from "node:crypto"
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fakeSecret, legacyEntry, reportEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const decisions = ".squad/decisions.md"
const mixedStore = `# Squad Decisions

${legacyEntry("2026-02-03", "Use one index")}
${reportEntry("2026-02-04")}
${legacyEntry("2026-02-05", "Use two queues", { by: "Wren" })}`

test("a dry run prints the plan line by line and writes nothing", async () => {
  const cwd = makeRepository({ [decisions]: mixedStore })
  const before = readTree(cwd)
  const { code, stdout, stderr } = await runWarm(["convert-memory", "--dry-run"], { cwd })
  expect(stdout).toBe(`Converting .squad/decisions.md...
  ✅ Entry 1: Auto-converted (high confidence)
  ⚠️  Entry 2: Needs review (ambiguous type)
  ✅ Entry 3: Auto-converted (high confidence)

2 of 3 entries converted automatically.
1 entry needs manual review.

Run without --dry-run to apply changes.
`)
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
  expect(readTree(cwd)).toEqual(before)
})

test("a dry run names each file once, and counts over all of them", async () => {
  const cwd = makeRepository({
    [decisions]: `${legacyEntry("2026-02-03", "Use one index")}\n${reportEntry("2026-02-04")}`,
    ".squad/decisions/inbox/wren-queues.md": legacyEntry("2026-02-05", "Use two queues", { by: "Wren" }),
    ".squad/agents/rook/history.md": `# History\n\n## Learnings\n\n${reportEntry("2026-02-06", "Handoff of the index")}`,
    ".squad/agents/wren/history.md": "# History\n\n## Learnings\n\n- An undated bullet.\n",
  })
  const { stdout, code } = await runWarm(["convert-memory", "--dry-run"], { cwd })
  expect(stdout).toBe(`Converting .squad/decisions.md...
  ✅ Entry 1: Auto-converted (high confidence)
  ⚠️  Entry 2: Needs review (ambiguous type)

Converting .squad/decisions/inbox/wren-queues.md...
  ✅ Entry 1: Auto-converted (high confidence)

Converting .squad/agents/rook/history.md...
  ✅ Entry 1: Auto-converted (high confidence)

3 of 4 entries converted automatically.
1 entry needs manual review.

Run without --dry-run to apply changes.
`)
  expect(code).toBe(1)
})

test("the review line is in the plural for several entries and missing for none", async () => {
  const reports = makeRepository({
    [decisions]: `${reportEntry("2026-02-04")}\n${reportEntry("2026-02-05", "Sprint 4 retrospective")}`,
  })
  const sure = makeRepository({ [decisions]: legacyEntry("2026-02-03", "Use one index") })
  const several = await runWarm(["convert-memory", "--dry-run"], { cwd: reports })
  const none = await runWarm(["convert-memory", "--dry-run"], { cwd: sure })
  expect(several.stdout).toContain("\n0 of 2 entries converted automatically.\n2 entries need manual review.\n")
  expect(none.stdout).not.toContain("review")
  expect(none.code).toBe(0)
})

test("applying converts what is sure, and keeps a backup, a manifest and a log beside it", async () => {
  const history =
    "# History\n\n## Learnings\n\n- An undated bullet.\n📌 Team update (2026-02-07): Two queues — decided by Wren\n"
  const cwd = makeRepository({ [decisions]: mixedStore, ".squad/agents/rook/history.md": history })
  const { code, stdout } = await runWarm(["convert-memory"], { cwd })
  const backup = onlyBackup(cwd)
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(`Backup written to ${backup}.`)
  expect(backup).toMatch(/^\.squad\/backups\/convert-\d{8}T\d{6}Z$/)
  expect(stdout).not.toContain("--dry-run")
  expect(code).toBe(1)

  const text = readFileSync(join(cwd, decisions), "utf8")
  expect(text).toContain("### 2026-02-03T00:00:00+0000: decision: Use one index\n\n**type:** decision  \n")
  expect(text).toContain("**author:** Rook  \n")
  expect(text).toContain("**precision:** day  \n")
  expect(text).toContain("**rationale:** It is simpler.\n")
  expect(text).toContain("### 2026-02-05T00:00:00+0000: decision: Use two queues\n")
  expect(text.startsWith("# Squad Decisions\n\n### ")).toBe(true)
  expect(readFileSync(join(cwd, ".squad/agents/rook/history.md"), "utf8")).toBe(history)

  expect(readFileSync(join(cwd, backup, "decisions.md"), "utf8")).toBe(mixedStore)
  const manifest = JSON.parse(readFileSync(join(cwd, backup, "manifest.json"), "utf8"))
  expect(manifest.files).toEqual([
    expect.objectContaining({ path: "decisions.md", bytes: Buffer.byteLength(mixedStore), sha256: sha256(mixedStore) }),
  ])
  const records = logOf(cwd)
  expect(records.map(({ level }) => level)).toEqual(["auto", "review", "auto", "left", "left"])
  expect(records[1]).toMatchObject({
    file: decisions,
    line: 8,
    endLine: 11,
    heading: "### 2026-02-04: Retrospective of sprint 3",
    reasons: ["ambiguous type"],
    type: "note",
    precision: "day",
    author: "Rook",
    authorSource: "label",
    dateSource: "heading",
    id: expect.stringMatching(/^sem-[0-9a-f]{12}$/),
  })
  expect(records[1]).toMatchObject({ bytesBefore: records[1]?.bytesAfter })
})

test("a second run reports that nothing is left to do and changes no byte", async () => {
  const cwd = makeRepository({ [decisions]: legacyEntry("2026-02-03", "Use one index") })
  expect((await runWarm(["convert-memory"], { cwd })).code).toBe(0)
  const before = readTree(cwd)
  const again = await runWarm(["convert-memory"], { cwd })
  expect(again).toEqual({ code: 0, stdout: "No legacy entries to convert.\n", stderr: "" })
  expect(readTree(cwd)).toEqual(before)
})

test("a second run over entries that still need review changes no byte either", async () => {
  const cwd = makeRepository({ [decisions]: mixedStore })
  await runWarm(["convert-memory"], { cwd })
  const before = readTree(cwd)
  const again = await runWarm(["convert-memory"], { cwd })
  expect(again.stdout).toContain("0 of 1 entry converted automatically.\n1 entry needs manual review.\n")
  expect(again.stdout).not.toContain("Backup")
  expect(again.code).toBe(1)
  expect(readTree(cwd)).toEqual(before)
})

test("entries that need review stay byte for byte", async () => {
  const odd =
    "### 2026-02-04: Retrospective of sprint 3   \n* **By:**   Rook\n\n\n\nThe week\twent well.\n\n***\n\nAnd so on.\n\n"
  const cwd = makeRepository({
    [decisions]: `${legacyEntry("2026-02-03", "One")}\n${odd}${legacyEntry("2026-02-05", "Two")}`,
  })
  await runWarm(["convert-memory"], { cwd })
  expect(readFileSync(join(cwd, decisions), "utf8")).toContain(
    `---\n\n${odd}### 2026-02-05T00:00:00+0000: decision: Two\n`,
  )
})

test("--include-review converts the doubtful entries and writes the doubt into them", async () => {
  const cwd = makeRepository({ [decisions]: mixedStore })
  const { code, stdout } = await runWarm(["convert-memory", "--include-review"], { cwd })
  const text = readFileSync(join(cwd, decisions), "utf8")
  expect(text).toMatch(
    /### 2026-02-04T00:00:00\+0000: note: Retrospective of sprint 3\n(.+\n|\n)*\*\*review:\*\* ambiguous type {2}\n/,
  )
  expect(text.match(/\*\*review:\*\*/g)).toHaveLength(1)
  expect(stdout).not.toContain("needs manual review")
  expect(code).toBe(0)
})

test("--undo restores every byte", async () => {
  const cwd = makeRepository({
    [decisions]: mixedStore,
    ".squad/decisions/inbox/wren-queues.md": legacyEntry("2026-02-05", "Use two queues").replaceAll("\n", "\r\n"),
  })
  const before = filesOf(cwd)
  await runWarm(["convert-memory"], { cwd })
  expect(filesOf(cwd)).not.toEqual(before)
  const undone = await runWarm(["convert-memory", "--undo", timeOf(onlyBackup(cwd))], { cwd })
  expect(undone).toEqual({
    code: 0,
    stdout: "Restored .squad/decisions.md.\nRestored .squad/decisions/inbox/wren-queues.md.\n",
    stderr: "Trusted this repository. Undo: drey trust --remove\n",
  })
  expect(filesOf(cwd)).toEqual(before)
})

test("--undo restores nothing at all when one of the files was changed since", async () => {
  const cwd = makeRepository({
    [decisions]: legacyEntry("2026-02-03", "Use one index"),
    ".squad/decisions/inbox/wren-queues.md": legacyEntry("2026-02-05", "Use two queues"),
  })
  await runWarm(["convert-memory"], { cwd })
  appendFileSync(join(cwd, ".squad/decisions/inbox/wren-queues.md"), "\nA later word.\n")
  const before = readTree(cwd)
  const { code, stderr } = await runWarm(["convert-memory", "--undo", timeOf(onlyBackup(cwd))], { cwd })
  expect(stderr).toContain(".squad/decisions/inbox/wren-queues.md was changed after the conversion")
  expect(code).toBe(1)
  expect(readTree(cwd)).toEqual(before)
})

test("--undo restores neither team folder when a file of one was changed since", async () => {
  const cwd = makeRepository({
    [decisions]: legacyEntry("2026-02-03", "Use one index"),
    ".ai-team/decisions.md": legacyEntry("2026-02-05", "Use two queues"),
  })
  await runWarm(["convert-memory"], { cwd })
  appendFileSync(join(cwd, ".ai-team/decisions.md"), "\nA later word.\n")
  const before = filesOf(cwd)
  const { code, stderr } = await runWarm(["convert-memory", "--undo", timeOf(onlyBackup(cwd))], { cwd })
  expect(stderr).toContain(".ai-team/decisions.md was changed after the conversion")
  expect(code).toBe(1)
  expect(filesOf(cwd)).toEqual(before)
})

test("--undo leaves the converted file alone when its backup is damaged", async () => {
  const cwd = makeRepository({ [decisions]: legacyEntry("2026-02-03", "Use one index") })
  await runWarm(["convert-memory"], { cwd })
  writeFileSync(join(cwd, onlyBackup(cwd), "decisions.md"), "### 2026-02-03: Use o")
  const before = readTree(cwd)
  const { code, stderr } = await runWarm(["convert-memory", "--undo", timeOf(onlyBackup(cwd))], { cwd })
  expect(stderr).toContain("decisions.md")
  expect([1, 2]).toContain(code)
  expect(readTree(cwd)).toEqual(before)
})

test("--undo of a time without a conversion, or of no time, changes nothing", async () => {
  const cwd = makeRepository({ [decisions]: legacyEntry("2026-02-03", "Use one index") })
  await runWarm(["convert-memory"], { cwd })
  const before = readTree(cwd)
  const missing = await runWarm(["convert-memory", "--undo", "20200101T000000Z"], { cwd })
  expect(missing.stderr).toContain("No conversion 20200101T000000Z was found")
  expect(missing.code).toBe(1)
  const outside = await runWarm(["convert-memory", "--undo", "../../elsewhere"], { cwd })
  expect(outside.stderr).toContain('"../../elsewhere" is not the name of a backup')
  expect(outside.code).toBe(2)
  expect(readTree(cwd)).toEqual(before)
})

const twice = `${legacyEntry("2026-02-03", "Use one index")}
${legacyEntry("2026-02-04", "Use tabs")}
${legacyEntry("2026-02-03", "Use one index")}`

test("--dedupe drops the later exact copy, and logs it", async () => {
  const cwd = makeRepository({ [decisions]: twice })
  const { code, stdout } = await runWarm(["convert-memory", "--dedupe"], { cwd })
  expect(titlesIn(cwd, decisions)).toEqual(["Use one index", "Use tabs"])
  expect(stdout).toContain("Entry 3: Dropped (exact copy)")
  expect(code).toBe(0)
  expect(logOf(cwd).map(({ copy }) => copy)).toEqual([false, false, true])
})

test("without --dedupe an exact copy stays, and is logged anyway", async () => {
  const cwd = makeRepository({ [decisions]: twice })
  await runWarm(["convert-memory"], { cwd })
  expect(titlesIn(cwd, decisions)).toEqual(["Use one index", "Use tabs", "Use one index"])
  expect(logOf(cwd).map(({ copy }) => copy)).toEqual([false, false, true])
})

test("a repeated heading with another body is not a copy", async () => {
  const two = `${legacyEntry("2026-02-03", "Use one index")}\n${legacyEntry("2026-02-03", "Use one index", { what: "But not for logs." })}`
  const cwd = makeRepository({ [decisions]: two })
  expect((await runWarm(["convert-memory", "--dedupe"], { cwd })).code).toBe(0)
  expect(titlesIn(cwd, decisions)).toEqual(["Use one index", "Use one index"])
  expect(readFileSync(join(cwd, decisions), "utf8")).toContain("But not for logs.")
})

test("archives are converted only with --archives", async () => {
  const archives = {
    ".squad/decisions-archive.md": legacyEntry("2026-01-03", "Use one index"),
    ".squad/decisions/archive/2025.md": legacyEntry("2025-12-05", "Use two queues"),
    ".squad/agents/rook/history-archive.md": legacyEntry("2025-11-05", "Count twice"),
  }
  const cwd = makeRepository({ ...archives, [decisions]: legacyEntry("2026-02-03", "Use tabs") })
  await runWarm(["convert-memory"], { cwd })
  expect(filesOf(cwd)).toMatchObject(archives)
  const { code, stdout } = await runWarm(["convert-memory", "--archives"], { cwd })
  expect(stdout).toContain("3 of 3 entries converted automatically.")
  expect(code).toBe(0)
  for (const path of Object.keys(archives)) expect(readFileSync(join(cwd, path), "utf8")).toContain("**type:** ")
})

test("a file keeps its line ends and its byte order mark", async () => {
  const windows = `\uFEFF${mixedStore}`.replaceAll("\n", "\r\n")
  const cwd = makeRepository({ [decisions]: windows })
  await runWarm(["convert-memory"], { cwd })
  const text = readFileSync(join(cwd, decisions), "utf8")
  expect(text).toContain("**type:** decision  \r\n")
  expect(text).not.toMatch(/[^\r]\n/)
  expect(text.lastIndexOf("\uFEFF")).toBe(0)
  expect(text).toContain(reportEntry("2026-02-04").replaceAll("\n", "\r\n"))
})

test("a byte order mark stays where the first line is an entry that is converted", async () => {
  const cwd = makeRepository({ [decisions]: `\uFEFF${legacyEntry("2026-02-03", "Use one index")}` })
  await runWarm(["convert-memory"], { cwd })
  expect(readFileSync(join(cwd, decisions), "utf8")).toMatch(
    /^\uFEFF### 2026-02-03T00:00:00\+0000: decision: Use one index\n/,
  )
})

test("a file with mixed line endings keeps each untouched line", async () => {
  const left = reportEntry("2026-02-04").replace("went well.\n", "went well.\r\n")
  const cwd = makeRepository({
    [decisions]: `# Squad Decisions\r\n\n${left}\n${legacyEntry("2026-02-05", "Use tabs")}`,
  })
  await runWarm(["convert-memory"], { cwd })
  const text = readFileSync(join(cwd, decisions), "utf8")
  expect(text.startsWith(`# Squad Decisions\r\n\n${left}\n### 2026-02-05T00:00:00+0000: decision: Use tabs\n\n`)).toBe(
    true,
  )
})

test("both team folders are converted, each with its own backup", async () => {
  const cwd = makeRepository({
    [decisions]: legacyEntry("2026-02-03", "Use one index"),
    ".ai-team/decisions.md": `${legacyEntry("2026-02-03", "Use one index")}\n${legacyEntry("2026-01-05", "Use two queues")}`,
  })
  const { code, stdout } = await runWarm(["convert-memory"], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain("Converting .squad/decisions.md...\n")
  expect(stdout).toContain("Converting .ai-team/decisions.md...\n")
  expect(stdout).toMatch(
    /Backup written to \.squad\/backups\/convert-\w+\.\n\nBackup written to \.ai-team\/backups\/convert-\w+\.\n/,
  )
  const entries = await entriesOf(cwd)
  expect(entries).toMatchObject([
    { title: "Use two queues", path: ".ai-team/decisions.md", format: "sem" },
    { title: "Use one index", path: decisions, format: "sem" },
  ])
})

test("conversion keeps the order of the entries and the id of each, in every file", async () => {
  const cwd = makeRepository({
    ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Rook | Lead |\n| Wren | Backend |\n",
    [decisions]: `# Squad Decisions

${legacyEntry("2026-02-10", "Newest at the top", { by: "Wren (Backend)" })}
## ADR-007: Keep the ledger

**Date:** 2026-02-01
**Author:** Rook

### Context

It grows.

${reportEntry("2026-02-04")}
${legacyEntry("2026-02-10", "Same day")}
### Caching of thumbnails (2026-01-09)

Decided by Wren: \`\`\`cache\`\`\` them.

### 2026-01-10T08:15:00Z: directive: Already converted

**type:** directive  
**timestamp:** 2026-01-10T08:15:00+0000  
**author:** Wren  
**scope:** team  

**summary:** Nothing to do here.

**rationale:** It is done.

---

# Decision: Name the queues

**By:** Rook, Wren
**Date:** 2026-01-08T10:00:00+02:00

By their readers.
`,
    ".squad/decisions/inbox/wren-tabs.md": "# Use tabs\n\n**Date:** 2026-02-11\n\nThey are wider.\n",
    ".squad/agents/rook/history.md": `# History\n\n## Learnings\n\n- 2026-02-02: Indexes rot.\n- An undated one.\n\n${legacyEntry("2026-02-06", "Queues block")}`,
  })
  const before = (await entriesOf(cwd)).map(withoutFormat)
  const { stdout } = await runWarm(["convert-memory"], { cwd })
  expect(stdout).toMatch(/\d+ of \d+ entries converted/)
  const after = await entriesOf(cwd)
  expect(after.map(withoutFormat)).toEqual(before)
  expect(after.filter(({ format }) => format === "sem").length).toBeGreaterThan(5)
})

test("a secret blocks its own entry only, and its value is in no output", async () => {
  const secret = fakeSecret()
  const inBody = legacyEntry("2026-02-04", "Deploy by hand", { what: `Use the token ${secret} for it.` })
  const inTitle = legacyEntry("2026-02-05", `Rotate ${secret} weekly`)
  const inAuthor = legacyEntry("2026-02-06", "Ask first", { by: `Wren (${secret})` })
  const cwd = makeRepository({
    [decisions]: `${legacyEntry("2026-02-03", "Use tabs")}\n${inBody}\n${inTitle}\n${inAuthor}\n${legacyEntry("2026-02-07", "Use one index")}`,
  })
  const runs = [
    await runWarm(["convert-memory", "--dry-run", "--json"], { cwd }),
    await runWarm(["convert-memory", "--dry-run", "--verbose", "--review-out", "review.json"], { cwd }),
    await runWarm(["convert-memory", "--include-review"], { cwd }),
  ]
  expect(runs.map(({ code }) => code)).toEqual([1, 1, 1])
  const text = readFileSync(join(cwd, decisions), "utf8")
  for (const kept of [inBody, inTitle, inAuthor]) expect(text).toContain(kept)
  expect(text.match(/\*\*type:\*\*/g)).toHaveLength(2)
  expect(runs[2]?.stdout).toContain("Needs review (forbidden content)")

  const said = runs.flatMap(({ stdout, stderr }) => [stdout, stderr])
  expect(said.filter((text) => text.includes(secret))).toHaveLength(0)
  expect(readFileSync(join(cwd, "review.json"), "utf8")).not.toContain(secret)
  expect(readFileSync(join(cwd, onlyBackup(cwd), "convert-log.jsonl"), "utf8")).not.toContain(secret)
})

test("a secret is reported with its file and line", async () => {
  const cwd = makeRepository({
    [decisions]: `${legacyEntry("2026-02-03", "Use tabs")}\n${legacyEntry("2026-02-04", "Deploy", { what: `Use ${fakeSecret()}.` })}`,
  })
  const { stdout, stderr } = await runWarm(["convert-memory", "--dry-run"], { cwd })
  expect(stdout + stderr).toMatch(/\.squad\/decisions\.md:[68]\b/) // its own line, or that of its entry
})

test("--json prints the totals, each file and each entry", async () => {
  const cwd = makeRepository({
    [decisions]: mixedStore,
    ".squad/agents/rook/history.md": "# History\n\n## Learnings\n\n- An undated bullet.\n",
  })
  const { stdout } = await runWarm(["convert-memory", "--dry-run", "--json"], { cwd })
  const document = JSON.parse(stdout)
  expect(document.totals).toEqual({ entries: 4, converted: 2, review: 1, left: 1 })
  expect(document.files).toEqual([
    { path: decisions, entries: 3, converted: 2, review: 1, left: 0 },
    { path: ".squad/agents/rook/history.md", entries: 1, converted: 0, review: 0, left: 1 },
  ])
  expect(document.records).toHaveLength(4)
})

test("a failing file is unchanged and reported, and the rest is converted", async () => {
  const conflict = `${legacyEntry("2026-02-03", "Use tabs")}\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n`
  const cwd = makeRepository({
    [decisions]: conflict,
    ".squad/decisions/inbox/wren-queues.md": legacyEntry("2026-02-05", "Use two queues"),
  })
  const { code, stderr, stdout } = await runWarm(["convert-memory", "--json"], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain(".squad/decisions.md:6")
  expect(JSON.parse(stdout).failed).toEqual([expect.objectContaining({ path: decisions })])
  expect(readFileSync(join(cwd, decisions), "utf8")).toBe(conflict)
  expect(readFileSync(join(cwd, ".squad/decisions/inbox/wren-queues.md"), "utf8")).toContain("**type:** decision")
})

test("entries added after a conversion are converted by the next one, which has a backup of its own", async () => {
  const cwd = makeRepository({ [decisions]: legacyEntry("2026-02-03", "Use one index") })
  await runWarm(["convert-memory"], { cwd })
  const first = readFileSync(join(cwd, decisions), "utf8")
  writeFiles(cwd, { [decisions]: `${first}\n${legacyEntry("2026-02-05", "Use two queues")}` })
  const { stdout } = await runWarm(["convert-memory"], { cwd })
  expect(stdout).toContain("1 of 1 entry converted automatically.")
  expect(readFileSync(join(cwd, decisions), "utf8").startsWith(first)).toBe(true)
  expect(backupsOf(cwd)).toHaveLength(2)
})

type Listed = { id: string; title: string; path: string; line: number; format: string }

async function entriesOf(cwd: string): Promise<Listed[]> {
  const { stdout, code } = await runWarm(["memory", "--json", "--all"], { cwd })
  expect(code).toBe(0)
  const entries: Listed[] = JSON.parse(stdout)
  const place = ({ path, line }: Listed) => `${path}:${String(line).padStart(6, "0")}`
  return entries.sort((one, other) => (place(one) < place(other) ? -1 : 1))
}

function withoutFormat({ id, title, path }: Listed): object {
  return { id, title, path }
}

function titlesIn(cwd: string, path: string): string[] {
  return [...readFileSync(join(cwd, path), "utf8").matchAll(/^### \S+: \w+: (.+)$/gm)].map(([, title = ""]) => title)
}

type LogRecord = { copy: boolean; level: string; reasons: string[]; bytesBefore: number; bytesAfter: number }

function logOf(cwd: string): LogRecord[] {
  const text = readFileSync(join(cwd, onlyBackup(cwd), "convert-log.jsonl"), "utf8")
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
}

/** The folder also holds a `.gitignore`: backups are not for committing. */
function backupsOf(cwd: string): string[] {
  return readdirSync(join(cwd, ".squad/backups")).filter((name) => name.startsWith("convert-"))
}

function onlyBackup(cwd: string): string {
  const names = backupsOf(cwd)
  expect(names).toHaveLength(1)
  return `.squad/backups/${names[0]}`
}

function timeOf(backup: string): string {
  return backup.replace(".squad/backups/convert-", "")
}

/** The store as people see it: without what Drey keeps for itself. */
function filesOf(cwd: string): Record<string, string> {
  return Object.fromEntries(Object.entries(readTree(cwd)).filter(([path]) => !/\/(backups|\.drey)(\/|$)/.test(path)))
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}
