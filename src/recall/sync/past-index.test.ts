import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type SqliteIndex, sqliteIndex } from "../../index/sqlite-index.ts"
import type { SummarizedConversation } from "../../memories/conversations.ts"
import { isPastCurrent, type PastOptions, syncPast } from "./past-index.ts"

let root: string
let index: SqliteIndex

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "drey-past-index-"))
  index = await sqliteIndex(join(root, "past.db"))
  git(["init", "-q", "-b", "main"])
})
afterEach(async () => {
  await index.close()
  rmSync(root, { recursive: true, force: true })
})

const git = (args: string[], input = "") =>
  execFileSync("git", ["-C", root, "-c", "user.name=Kim", "-c", "user.email=k@example.com", ...args], {
    input,
    encoding: "utf8",
  })
const commit = (message: string) => git(["commit", "-q", "--allow-empty", "-m", message])

/** `count` commits at once, named from `first` on. */
function commitMany(count: number, first = 0): void {
  const has = first > 0 ? "from refs/heads/main^0\n" : ""
  const stream = Array.from({ length: count }, (_, at) => {
    const subject = `change number ${first + at}`
    return `commit refs/heads/main\ncommitter Kim <k@example.com> ${1_700_000_000 + first + at} +0000\ndata ${subject.length}\n${subject}\n${at === 0 ? has : ""}`
  })
  git(["fast-import", "--quiet", "--force"], stream.join("\n"))
}

const sync = (options?: PastOptions) => syncPast(index, { root, conversations: undefined }, options)
const subjects = async () => (await index.select({ sources: ["commit"] }, { now: 0 })).map(({ title }) => title).sort()

test("a repository without commits has none, and its first ones are found", async () => {
  expect(await sync()).toBe(0)
  expect(await subjects()).toEqual([])
  commit("one")
  commit("two")
  expect(await sync()).toBe(0)
  expect(await subjects()).toEqual(["one", "two"])
})

test("single commits join the last chunk, and nothing is written where nothing changed", async () => {
  commit("one")
  await sync()
  for (const name of ["two", "three", "four"]) {
    commit(name)
    await sync()
  }
  expect(await subjects()).toEqual(["four", "one", "three", "two"])
  expect([...(await index.origins()).keys()].filter((key) => key.startsWith("commits "))).toHaveLength(1)
  const before = await index.version()
  await sync()
  expect(await index.version()).toBe(before)
  expect(await isPastCurrent(await index.origins(), { root, months: new Map() })).toBe(true)
})

test("a rewritten history leaves only its own commits", async () => {
  commit("one")
  commit("two")
  await sync()
  git(["commit", "-q", "--amend", "--allow-empty", "-m", "two, said better"])
  commit("three")
  await sync()
  expect(await subjects()).toEqual(["one", "three", "two, said better"])
  git(["checkout", "-q", "--orphan", "other"])
  commit("another beginning")
  await sync()
  expect(await subjects()).toEqual(["another beginning"])
})

test("a long history is indexed newest first, and continued after an interruption", async () => {
  commitMany(1200)
  const stop = new AbortController()
  const left = await sync({ signal: stop.signal, progress: () => stop.abort() })
  expect(left).toBe(700)
  const found = await subjects()
  expect(found).toContain("change number 1199")
  expect(found).not.toContain("change number 0")
  expect(await isPastCurrent(await index.origins(), { root, months: new Map() })).toBe(false)
  commitMany(3, 1200)
  const steps: number[] = []
  expect(await sync({ progress: (done) => steps.push(done) })).toBe(0)
  expect(steps.at(-1)).toBe(1203)
  expect(await subjects()).toHaveLength(1203)
})

test("two processes that index the same history end with each commit once", async () => {
  commitMany(1200)
  const other = await sqliteIndex(join(root, "past.db"))
  await Promise.all([sync(), syncPast(other, { root, conversations: undefined })])
  await sync()
  await other.close()
  expect(await subjects()).toHaveLength(1200)
})

test("only months whose conversations changed are read again, and forgotten ones are gone", async () => {
  const said = (id: string, text: string): SummarizedConversation => ({
    id,
    client: "codex",
    session: `session of ${id}`,
    transcript: `/transcripts/${id}.jsonl`,
    start: "2026-03-01T09:00:00.000Z",
    end: "2026-03-01T10:00:00.000Z",
    outcome: "success",
    summary: { said: [{ by: "user", text, line: 3 }], tried: [], edited: ["src/login.ts"], read: [], commits: [] },
  })
  const months = new Map([
    ["2026-02", "1 0"],
    ["2026-03", "1 0"],
  ])
  const content = new Map([
    ["2026-02", [said("ep-a", "Fix the login")]],
    ["2026-03", [said("ep-b", "Fix the export")]],
  ])
  const read: string[] = []
  const conversations = {
    months: () => months,
    read: async (month: string) => {
      read.push(month)
      return content.get(month) ?? []
    },
  }
  await syncPast(index, { root, conversations })
  content.set("2026-03", [])
  months.set("2026-03", "1 1")
  await syncPast(index, { root, conversations })
  expect(read).toEqual(["2026-03", "2026-02", "2026-03"])
  const found = async (filter: object) => (await index.select(filter, { now: 0 })).map(({ id }) => id)
  expect(await found({ sources: ["conversation"] })).toEqual(["ep-a"])
  for (const file of ["src/login.ts", "src", "login.ts", "src/"])
    expect(await found({ files: [file] }), file).toEqual(["ep-a"])
  for (const file of ["rc/login.ts", "src/login", "ogin.ts"]) expect(await found({ files: [file] }), file).toEqual([])
  expect(await found({ sessions: ["session of"], clients: ["codex"] })).toEqual(["ep-a"])
  expect(await found({ clients: ["cursor"] })).toEqual([])
  await syncPast(index, { root, conversations: undefined })
  expect(await found({})).toEqual([])
})
