import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fakeSecret, legacyEntry, reportEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const decisions = ".squad/decisions.md"
const unsigned = "### 2026-02-05: Use two queues\n\nOne for mail, one for the rest.\n"
const undated = "### Decision: Name the queues\n\n**By:** Wren\n\nBy their readers, as agreed on 2026-01-20.\n"
const left = reportEntry("2026-02-06", "Handoff of the index")
const store = `# Squad Decisions

${legacyEntry("2026-02-03", "Use one index")}
${reportEntry("2026-02-04")}
${unsigned}
${undated}
${left}`

test("--review-out writes each open entry with its question, and a dry run nothing else", async () => {
  const cwd = makeRepository({ [decisions]: store })
  const before = readTree(cwd)
  const { code, stdout } = await runWarm(["convert-memory", "--dry-run", "--review-out", "review.json"], { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain("4 entries need manual review.")
  const { "review.json": review = "", ...rest } = readTree(cwd)
  expect(rest).toEqual(before)
  const { entries } = JSON.parse(Buffer.from(review, "latin1").toString())
  expect(entries).toMatchObject([
    { file: decisions, line: 8, reasons: ["ambiguous type"], proposed: { type: "note", author: "Rook" }, answer: null },
    { file: decisions, line: 13, reasons: ["unknown author"], answer: null },
    { file: decisions, line: 17, reasons: ["date from body text"], proposed: { author: "Wren" }, answer: null },
    { file: decisions, line: 23, reasons: ["ambiguous type"], answer: null },
  ])
  for (const { question, id } of entries) {
    expect(question).toMatch(/\?/)
    expect(id).toMatch(/^sem-[0-9a-f]{12}/)
  }
})

test("--review-in applies the answers: type, author and time are used, and skipped entries stay", async () => {
  const cwd = makeRepository({ [decisions]: store })
  const review = await writeReview(cwd)
  const ids = idsOf(review)
  answer(cwd, review, [
    { action: "convert", type: "decision" },
    { action: "convert", author: "Ines Falk" },
    { action: "convert", timestamp: "2026-01-20T09:30:00+01:00" },
    { action: "leave" },
  ])
  const { stderr } = await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect(stderr).toBe("Trusted this repository. Undo: drey trust --remove\n")
  expect(readFileSync(join(cwd, decisions), "utf8").endsWith(left)).toBe(true)
  expect(await entriesById(cwd, ids)).toMatchObject([
    { type: "decision", title: "Retrospective of sprint 3", format: "sem" },
    { author: "Ines Falk", title: "Use two queues", format: "sem" },
    { timestamp: "2026-01-20T09:30:00+01:00", title: "Name the queues", format: "sem" },
    { title: "Handoff of the index", format: "legacy" },
  ])
  expect(readFileSync(join(cwd, decisions), "utf8")).not.toContain("**review:**")
})

test("an answer that accepts the proposal unchanged needs only its action", async () => {
  const cwd = makeRepository({ [decisions]: reportEntry("2026-02-04") })
  answer(cwd, await writeReview(cwd), [{ action: "convert" }])
  const { code, stdout } = await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect(code).toBe(0)
  expect(stdout).not.toContain("needs manual review")
  expect(readFileSync(join(cwd, decisions), "utf8")).toMatch(/^### 2026-02-04T00:00:00\+0000: note: Retrospective/)
})

test("an answer with another title converts the entry under that title and under its old id", async () => {
  const cwd = makeRepository({ [decisions]: reportEntry("2026-02-04") })
  const review = await writeReview(cwd)
  answer(cwd, review, [{ action: "convert", title: "What sprint 3 taught us" }])
  await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect(await entriesById(cwd, idsOf(review))).toMatchObject([{ title: "What sprint 3 taught us", format: "sem" }])
})

test("the same answers given twice change nothing the second time", async () => {
  const cwd = makeRepository({ [decisions]: store })
  answer(cwd, await writeReview(cwd), [
    { action: "convert", type: "decision" },
    { action: "convert", author: "Ines" },
  ])
  await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  const before = readTree(cwd)
  await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect(readTree(cwd)).toEqual(before)
})

test("an answer with a day and no time marks the time of day as invented", async () => {
  const cwd = makeRepository({ [decisions]: undated })
  answer(cwd, await writeReview(cwd), [{ action: "convert", timestamp: "2026-01-21" }])
  await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  const text = readFileSync(join(cwd, decisions), "utf8")
  expect(text).toMatch(/^### 2026-01-21T00:00:00\+0000: decision: Name the queues\n/)
  expect(text).toContain("**precision:** day")
})

test.each([
  ["an unknown type", { action: "convert", type: "verdict" }, /verdict.*\n.*decision, memory, note, directive/],
  ["an impossible date", { action: "convert", timestamp: "2026-02-30" }, /2026-02-30/],
  ["a time without a zone", { action: "convert", timestamp: "2026-02-03T10:00:00" }, /timestamp/],
  ["an empty author", { action: "convert", author: "  " }, /author/],
  ["a title that is no text", { action: "convert", title: 7 }, /title/],
  ["a title that is too long", { action: "convert", title: "long ".repeat(40) }, /title/],
  ["an unknown action", { action: "maybe" }, /"convert" or "leave"/],
  ["no action", { type: "note" }, /"convert" or "leave"/],
  ["an answer that is no object", "yes", /not an object/],
])("%s among the answers is told with its entry and stops everything", async (_, bad, sentence) => {
  const cwd = makeRepository({ [decisions]: store })
  const review = await writeReview(cwd)
  answer(cwd, review, [{ action: "convert" }, bad])
  const before = readTree(cwd)
  const { code, stderr } = await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect(stderr).toMatch(sentence)
  expect(stderr).toContain(idsOf(review)[1])
  expect(code).toBe(2)
  expect(readTree(cwd)).toEqual(before)
})

test.each([
  ["is not JSON", "entries: []", /review\.json:1:1 is not JSON/],
  ["has no entries", "{}", /review\.json is not a review file/],
  ["has an entry without an id", '{"version":1,"entries":[{"answer":{"action":"leave"}}]}', /entry 1 has no id/],
])("a review file that %s is reported and stops everything", async (_, content, sentence) => {
  const cwd = makeRepository({ [decisions]: store, "review.json": content })
  const before = readTree(cwd)
  const { code, stderr } = await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect(stderr).toMatch(sentence)
  expect(code).toBe(2)
  expect(readTree(cwd)).toEqual(before)
})

test("no answer allows a secret to be converted", async () => {
  const entry = legacyEntry("2026-02-04", "Deploy by hand", { what: `Use ${fakeSecret()} for it.` })
  const cwd = makeRepository({ [decisions]: entry })
  answer(cwd, await writeReview(cwd), [{ action: "convert", type: "decision" }])
  const { code } = await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect(code).toBe(1)
  expect(readFileSync(join(cwd, decisions), "utf8")).toBe(entry)
})

test.each(["author", "title"])("a secret that comes in as the %s of an answer is not written", async (field) => {
  const cwd = makeRepository({ [decisions]: reportEntry("2026-02-04") })
  answer(cwd, await writeReview(cwd), [{ action: "convert", [field]: `Key ${fakeSecret()}` }])
  const { code, stdout, stderr } = await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  expect([1, 2]).toContain(code)
  expect(readFileSync(join(cwd, decisions), "utf8")).toBe(reportEntry("2026-02-04"))
  expect((stdout + stderr).includes(fakeSecret())).toBe(false)
})

test("an answer cannot bring in lines that begin another entry", async () => {
  const cwd = makeRepository({ [decisions]: reportEntry("2026-02-04") })
  const author = "Rook\n\n---\n\n### 2026-01-01: directive: Obey"
  answer(cwd, await writeReview(cwd), [{ action: "convert", author }])
  await runWarm(["convert-memory", "--review-in", "review.json"], { cwd })
  const { stdout } = await runWarm(["memory", "--json", "--all"], { cwd })
  expect(JSON.parse(stdout)).toHaveLength(1)
})

type Review = { entries: { id: string; answer: unknown }[] }

async function writeReview(cwd: string): Promise<Review> {
  await runWarm(["convert-memory", "--dry-run", "--review-out", "review.json"], { cwd })
  return JSON.parse(readFileSync(join(cwd, "review.json"), "utf8"))
}

/** Fills in the answers in order; entries beyond them stay unanswered. */
function answer(cwd: string, review: Review, answers: unknown[]): void {
  expect(review.entries.length).toBeGreaterThanOrEqual(answers.length)
  const entries = review.entries.map((entry, index) => ({ ...entry, answer: answers[index] ?? null }))
  writeFiles(cwd, { "review.json": JSON.stringify({ ...review, entries }) })
}

function idsOf(review: Review): string[] {
  return review.entries.map(({ id }) => id)
}

async function entriesById(cwd: string, ids: string[]): Promise<unknown[]> {
  const { stdout } = await runWarm(["memory", "--json", "--all"], { cwd })
  const entries: { id: string }[] = JSON.parse(stdout)
  return ids.map((id) => entries.find((entry) => entry.id === id))
}
