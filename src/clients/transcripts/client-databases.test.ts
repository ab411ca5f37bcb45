import { existsSync, readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { openDatabase } from "../../disk/sqlite.ts"
import { readForeignDatabase } from "./client-databases.ts"

const columns = { note: ["text"] }

test("a database is read, and cannot be written", () => {
  const path = databaseWith("first")
  expect(notesIn(path)).toEqual(["first"])
  expect(() => readForeignDatabase(path, columns, (database) => database.exec("DELETE FROM note"))).toThrow(/read-only/)
  expect(notesIn(path)).toEqual(["first"])
})

test("concurrent writes are seen the next time", () => {
  const path = databaseWith("first")
  notesIn(path)
  addNote(path, "second")
  expect(notesIn(path)).toEqual(["first", "second"])
})

test("a database that replaced another is read", () => {
  const path = databaseWith("first")
  notesIn(path)
  renameSync(databaseWith("another"), path)
  expect(notesIn(path)).toEqual(["another"])
})

test("a missing table or column is reported", () => {
  const path = databaseWith("first")
  expect(() => readForeignDatabase(path, { note: ["text", "author"] }, () => 1)).toThrow(`${path} has no note.author`)
  expect(() => readForeignDatabase(path, { sheet: ["text"] }, () => 1)).toThrow(`${path} has no sheet.text`)
})

test.runIf(existsSync("/proc/self/fd"))("it is opened once, however often it is read", () => {
  const path = databaseWith("first")
  notesIn(path)
  const before = readdirSync("/proc/self/fd").length
  for (let times = 0; times < 50; times++) notesIn(path)
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before)
})

function notesIn(path: string): string[] {
  return readForeignDatabase(path, columns, (database) =>
    database
      .prepare<{ text: string }>("SELECT text FROM note ORDER BY rowid")
      .all()
      .map(({ text }) => text),
  )
}

function databaseWith(text: string): string {
  const path = join(makeRepository({}), "notes.db")
  const database = openDatabase(path)
  database.exec("CREATE TABLE note (text TEXT)")
  database.close()
  addNote(path, text)
  return path
}

function addNote(path: string, text: string): void {
  const database = openDatabase(path)
  database.prepare("INSERT INTO note VALUES (?)").run(text)
  database.close()
}
