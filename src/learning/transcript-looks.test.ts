import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { Client, Transcript } from "../clients/client.ts"
import { openTranscriptLooks } from "./transcript-looks.ts"

/** Looks at these transcripts; `look` tells which have changed, and takes them for read. */
function open(name: string, session?: string) {
  const folder = mkdtempSync(join(tmpdir(), "drey-looks-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const transcript: Transcript = { client: "opencode", path: join(folder, name), ...(session ? { session } : {}) }
  const client: Client = {
    id: "opencode",
    name: "Test",
    maturity: "proven",
    find: () => [transcript],
    recognises: () => false,
    read: async function* () {},
  }
  const looks = openTranscriptLooks({
    clients: [client],
    machine: { home: folder, environment: {}, platform: "linux" },
  })
  const look = ({ project = "p-1", isForeign = false } = {}) => {
    const changed = looks.changed([{ id: project, root: folder }])
    looks.noteRead(changed, new Set(isForeign ? changed.map((each) => each.transcript) : []))
    return changed.length
  }
  return { path: transcript.path, look }
}

test("a transcript is to be read when it is new, has grown, or was replaced by one of the same size", () => {
  const { path, look } = open("session.jsonl")
  expect(look()).toBe(0)
  writeFileSync(path, "one\n")
  expect([look(), look()]).toEqual([1, 0])
  appendFileSync(path, "two\n")
  expect([look(), look()]).toEqual([1, 0])
  writeFileSync(`${path}.new`, "new\ntwo\n")
  renameSync(`${path}.new`, path)
  expect([look(), look()]).toEqual([1, 0])
})

test("the newest rows of a database are in its log: when that grows, its sessions are to be read", () => {
  const { path, look } = open("opencode.db", "ses_1")
  writeFileSync(path, "a database")
  expect([look(), look()]).toEqual([1, 0])
  writeFileSync(`${path}-wal`, "a row")
  expect([look(), look()]).toEqual([1, 0])
})

test("one of another project is left alone however it grows, until there are other projects", () => {
  const { path, look } = open("session.jsonl")
  writeFileSync(path, "one\n")
  expect(look({ isForeign: true })).toBe(1)
  appendFileSync(path, "two\n")
  expect(look()).toBe(0)
  expect(look({ project: "p-2" })).toBe(1)
})
