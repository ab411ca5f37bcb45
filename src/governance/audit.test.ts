import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { runGit } from "../../test/run-cli.ts"
import { type AuditPlace, appendAudit, readAudit } from "./audit.ts"
import { verifyAudit } from "./audit-verification.ts"

function makePlace(limits: Partial<AuditPlace> = {}): AuditPlace {
  const storeFolder = mkdtempSync(join(tmpdir(), "drey-audit-"))
  onTestFinished(() => rmSync(storeFolder, { recursive: true, force: true }))
  const state = mkdtempSync(join(tmpdir(), "drey-audit-state-"))
  onTestFinished(() => rmSync(state, { recursive: true, force: true }))
  return { storeFolder, state, maxBytes: 1_048_576, maxArchives: 3, ...limits }
}

function append(place: AuditPlace, ...ids: string[]): void {
  for (const id of ids) appendAudit(place, { timestamp: "2026-07-28T00:46:19.057Z", action: "write", id })
}

function editLines(place: AuditPlace, edit: (lines: string[]) => string[]): void {
  const path = join(place.storeFolder, "memory", "audit.jsonl")
  const lines = readFileSync(path, "utf8").trimEnd().split("\n")
  writeFileSync(path, `${edit(lines).join("\n")}\n`)
}

const verify = (place: AuditPlace) => verifyAudit(place)
const kindsOf = (place: AuditPlace) => verify(place).problems.map(({ kind }) => kind)

test("an untouched audit verifies", () => {
  const place = makePlace()
  append(place, "a", "b", "c")
  expect(verify(place)).toMatchObject({ ok: true, lines: 3, problems: [], foreign: [] })
})

test.each<[string, (lines: string[]) => string[], string[]]>([
  ["an edited line", (lines) => lines.map((line) => line.replace('"id":"b"', '"id":"x"')), ["edited", "missing"]],
  ["a dropped first line", (lines) => lines.slice(1), ["missing"]],
  ["a dropped line in the middle", (lines) => lines.toSpliced(1, 1), ["missing"]],
  ["a dropped last line", (lines) => lines.slice(0, -1), ["shortened"]],
  ["a line whose hash was made up", (lines) => [...lines, forge(lines[2] ?? "", 4)], ["edited"]],
  ["an emptied file", () => [], ["shortened"]],
  ["a line of rubbish", (lines) => [...lines, "{ half"], ["damaged"]],
])("%s is detected", (_, edit, kinds) => {
  const place = makePlace()
  append(place, "a", "b", "c")
  editLines(place, edit)
  expect(kindsOf(place)).toEqual(kinds)
})

function forge(line: string, seq: number): string {
  return line.replace(/"seq":\d+/, `"seq":${seq}`)
}

test("an inserted line with its own hash does not fit its chain", async () => {
  const place = makePlace()
  append(place, "a", "b", "c")
  const { chainLine, readAuditLine } = await import("./audit.ts")
  editLines(place, (lines) => {
    const second = readAuditLine(lines[1] ?? "")
    if (second.kind !== "chained") throw new Error("no chain")
    const { writer, seq, prev } = second.link
    const forged = chainLine({ timestamp: "2026-07-28T00:46:19.057Z", action: "write", id: "x" }, { writer, seq, prev })
    return [lines[0] ?? "", forged.text, ...lines.slice(1)]
  })
  expect(verify(place).ok).toBe(false)
})

test("lines of a tool without chains are reported separately, not as forged", () => {
  const place = makePlace()
  append(place, "a")
  editLines(place, (lines) => [...lines, '{"timestamp":"2026-07-28T00:46:20.000Z","action":"search"}'])
  append(place, "b")
  expect(verify(place)).toMatchObject({ ok: true, foreign: [{ path: "memory/audit.jsonl", line: 2 }] })
})

test("the chain continues across rotation, and rotated-out lines are not missing", () => {
  const place = makePlace({ maxBytes: 700, maxArchives: 2 })
  append(place, ..."abcdefghijklmnop")
  expect(readdirSync(join(place.storeFolder, "memory")).sort()).toEqual([
    "audit.1.jsonl",
    "audit.2.jsonl",
    "audit.jsonl",
  ])
  const { ok, chains } = verify(place)
  expect(ok).toBe(true)
  expect(chains).toHaveLength(1)
  expect(chains[0]).toMatchObject({ last: 16 })
  const ids = readAudit(place.storeFolder).records.map(({ id }) => id)
  expect(ids).toEqual([..."abcdefghijklmnop"].slice(-ids.length))
})

test("the reader survives a truncated line, reads rotated files, and the next line starts a new chain", () => {
  const place = makePlace({ maxBytes: 900 })
  append(place, "a", "b", "c", "d")
  const path = join(place.storeFolder, "memory", "audit.jsonl")
  writeFileSync(path, `${readFileSync(path, "utf8")}{"timestamp":"2026-07-28T00:4`)
  append(place, "e")
  const { records, warnings } = readAudit(place.storeFolder)
  expect(records.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e"])
  expect(warnings).toEqual([expect.stringMatching(/^memory\/audit(\.1)?\.jsonl:\d+ is not an audit record/)])
})

test("a clone has its own chain, so that both sides of a merge verify", () => {
  const one = makePlace()
  append(one, "a", "b")
  const other = makePlace()
  cpSync(one.storeFolder, other.storeFolder, { recursive: true })
  append(one, "c")
  append(other, "d")
  const lines = (place: AuditPlace) => readFileSync(join(place.storeFolder, "memory/audit.jsonl"), "utf8").split("\n")
  const merged = [...new Set([...lines(one), ...lines(other)])].filter(Boolean)
  writeFileSync(join(one.storeFolder, "memory", "audit.jsonl"), `${merged.join("\n")}\n`)
  const { ok, chains } = verify(one)
  expect(ok).toBe(true)
  expect(chains).toHaveLength(2)
})

test("lines of another branch are not missing, and both branches verify after a merge", () => {
  const { place, git, commit } = makeCommitted()
  append(place, "a")
  commit("one")
  git("checkout", "-qb", "other")
  append(place, "b")
  commit("two")
  git("checkout", "-q", "main")
  expect(verify(place).ok).toBe(true)
  append(place, "c")
  commit("three")
  expect(verify(place)).toMatchObject({ ok: true, lines: 4, removed: 0 })
  git("merge", "-q", "-m", "both", "other")
  const { ok, lines, chains } = verify(place)
  expect({ ok, lines, chains: chains.length }).toEqual({ ok: true, lines: 5, chains: 2 })
})

test("lines that git removed are counted as such, also after the next line; lines removed by hand are not", () => {
  const { place, git, commit } = makeCommitted()
  append(place, "c", "d")
  git("checkout", "-q", ".")
  const removed = (count: number) => ({ ok: true, problems: [], removed: count })
  expect(verify(place)).toMatchObject({
    ...removed(2),
    warnings: [expect.stringContaining("2 audit lines were removed by git")],
  })
  append(place, "e")
  expect(verify(place)).toMatchObject(removed(2))
  git("stash", "-q")
  expect(verify(place)).toMatchObject(removed(3))
  git("stash", "pop", "-q")
  expect(verify(place)).toMatchObject(removed(2))
  commit("e")
  git("reset", "-q", "--hard", "HEAD~1")
  expect(verify(place)).toMatchObject(removed(2)) // the reflog still has the commit of the last line
  editLines(place, (lines) => lines.slice(0, -1))
  expect(kindsOf(place)).toContain("shortened")
  editLines(place, () => [])
  expect(kindsOf(place)).toContain("shortened")
})

test("a line that is edited, or dropped from the middle, is tampering even if git removed others", () => {
  const { place, git } = makeCommitted()
  append(place, "c")
  git("checkout", "-q", ".")
  append(place, "d", "e", "f")
  editLines(place, (lines) => lines.toSpliced(3, 1))
  expect(kindsOf(place)).toEqual(["missing"])
  git("checkout", "-q", ".")
  editLines(place, (lines) => lines.map((line) => line.replace('"id":"a"', '"id":"x"')))
  expect(kindsOf(place)).toContain("edited")
})

test("a line that a commit removed from the middle is in git's history, so git explains it", () => {
  const { place, commit } = makeCommitted()
  append(place, "c", "d")
  commit("more")
  editLines(place, (lines) => lines.toSpliced(2, 1))
  expect(kindsOf(place)).toEqual(["missing"])
  commit("without one")
  expect(verify(place)).toMatchObject({ ok: true, lines: 3, removed: 1 })
})

function makeCommitted() {
  const place = makePlace()
  const git = (...args: string[]) => runGit(place.storeFolder, ...args)
  const commit = (message: string) => {
    git("add", "memory")
    git("commit", "-qm", message)
  }
  git("init", "-qb", "main")
  writeFileSync(join(place.storeFolder, ".git", "info", "attributes"), "*.jsonl merge=union\n")
  append(place, "a", "b")
  commit("start")
  return { place, git, commit }
}
