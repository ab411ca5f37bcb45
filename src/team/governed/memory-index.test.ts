import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { StoreFolder } from "../team-folder.ts"
import { appendToIndex, type IndexRecord, readIndexFile } from "./memory-index.ts"

function makeFolder(index?: string): StoreFolder {
  const path = mkdtempSync(join(tmpdir(), "drey-index-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  mkdirSync(join(path, "memory"))
  if (index !== undefined) writeFileSync(join(path, "memory", "index.json"), index)
  return { name: ".squad", path, home: path }
}

const textOf = (folder: StoreFolder) => readFileSync(join(folder.path, "memory", "index.json"), "utf8")

function record(id: string): IndexRecord {
  const dates = { createdAt: "2026-07-28T00:46:19.057Z", updatedAt: "2026-07-28T00:46:19.057Z" }
  const path = `.squad/memory/local/${id}.md`
  return {
    id,
    class: "LOCAL",
    loadGuidance: "ON-DEMAND",
    title: `A ] and a } of ${id}`,
    path,
    status: "active",
    ...dates,
  }
}

test("adding a record gives the same result as rewriting the whole index, and nothing before it changes", () => {
  expect(appendToIndex(makeFolder(), record("a"))).toBe(false) // it would omit memories that are already in files
  const folder = makeFolder("[]")
  for (const id of ["a", "b", "c"]) expect(appendToIndex(folder, record(id))).toBe(true)
  expect(textOf(folder)).toBe(`${JSON.stringify([record("a"), record("b"), record("c")], null, 2)}\n`)
})

test.each([["[]"], ["[]\n"], ["[ ]\r\n"], ["[\n]\n"]])("an empty index %j gets its first record", (text) => {
  const folder = makeFolder(text)
  expect(appendToIndex(folder, record("a"))).toBe(true)
  expect(JSON.parse(textOf(folder))).toEqual([record("a")])
})

test("records in another layout, and with unknown keys, are unchanged", () => {
  const folder = makeFolder(`[{"id":"old","class":"LOCAL","path":".squad\\\\memory\\\\local\\\\old.md","mine":[1]}]`)
  appendToIndex(folder, record("a"))
  expect(textOf(folder)).toContain(`"mine":[1]}`)
  const file = readIndexFile(folder)
  expect(file.kind === "read" && file.records[0]).toMatchObject({ path: ".squad/memory/local/old.md", mine: [1] })
})

test.each([[""], ["{ not JSON"], ['{"entries": []}'], ['[{"id": "a"'], ["[1,"]])("%j is not added to", (text) => {
  const folder = makeFolder(text)
  expect(appendToIndex(folder, record("a"))).toBe(false)
  expect(textOf(folder)).toBe(text)
})
