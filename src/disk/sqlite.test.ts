import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { DreyError } from "../errors.ts"
import { isBusy, openDatabase } from "./sqlite.ts"

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-sqlite-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const newPath = () => join(newFolder(), "test.db")

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error("nothing was thrown")
}

test("statements run with positional and named values, and return one row, all rows or an iterator", () => {
  const database = openDatabase(newPath())
  database.exec("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, data BLOB)")
  const insert = database.prepare("INSERT INTO item (name, data) VALUES (?, ?)")
  expect(insert.run("one", Uint8Array.of(1, 2))).toEqual({ changes: 1, lastInsertRowid: 1 })
  database.prepare("INSERT INTO item (name) VALUES (:name)").run({ name: "two" })

  const select = database.prepare<{ id: number; name: string }>("SELECT id, name FROM item WHERE id >= ? ORDER BY id")
  expect(select.get(2)?.name).toBe("two")
  expect(select.get(3)).toBeUndefined()
  expect(select.all(1).map((row) => row.name)).toEqual(["one", "two"])
  for (const row of select.iterate(1)) {
    expect(row.name).toBe("one")
    break
  }
  expect([...select.iterate(1)]).toHaveLength(2)
  expect(database.prepare("SELECT data FROM item").get()?.data).toEqual(Uint8Array.of(1, 2))
  database.close()
})

test("foreign keys are enforced and full text search is available", () => {
  const database = openDatabase(":memory:")
  database.exec("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id))")
  expect(() => database.exec("INSERT INTO b VALUES (1)")).toThrow("FOREIGN KEY")
  database.exec("CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1)")
  database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)").run(7, "one index")
  expect(database.prepare("SELECT rowid FROM words WHERE words MATCH ?").get("index")?.rowid).toBe(7)
  database.close()
})

test("a transaction commits and returns its result, or rolls back and throws", () => {
  const database = openDatabase(newPath())
  database.exec("CREATE TABLE item (name TEXT UNIQUE)")
  const count = () => database.prepare("SELECT count(*) AS n FROM item").get()?.n
  const insert = database.prepare("INSERT INTO item VALUES (?)")
  for (const mode of ["deferred", "immediate", "exclusive"] as const) {
    expect(database.transaction(mode, () => insert.run(mode).changes)).toBe(1)
  }
  expect(count()).toBe(3)

  const failing = () => {
    insert.run("lost")
    insert.run("deferred")
  }
  expect(() => database.transaction("immediate", failing)).toThrow("UNIQUE")
  expect(count()).toBe(3)
  expect(database.transaction("immediate", () => count())).toBe(3)
  database.close()
})

test("a transaction that rolled back by itself still throws the first error", () => {
  const database = openDatabase(newPath())
  database.exec("CREATE TABLE item (name TEXT UNIQUE); INSERT INTO item VALUES ('one')")
  const failing = () => database.exec("INSERT OR ROLLBACK INTO item VALUES ('one')")
  expect(() => database.transaction("immediate", failing)).toThrow("UNIQUE")
  database.close()
})

test("a transaction in a transaction is a bug, and the outer one is unaffected", () => {
  const database = openDatabase(newPath())
  database.exec("CREATE TABLE item (name TEXT)")
  database.transaction("immediate", () => {
    database.exec("INSERT INTO item VALUES ('kept')")
    expect(() => database.transaction("deferred", () => 1)).toThrow("within a transaction")
  })
  expect(database.prepare("SELECT name FROM item").all()).toHaveLength(1)
  database.close()
})

test("an async transaction does not type-check", () => {
  const database = openDatabase(":memory:")
  // @ts-expect-error a promise would be pending when the transaction commits
  database.transaction("deferred", async () => 1)
  database.close()
})

test("a database of an unknown format is reported as such", () => {
  const path = newPath()
  const database = openDatabase(path)
  database.exec("CREATE TABLE one (id TEXT)")
  database.close()
  const bytes = readFileSync(path)
  bytes[47] = 9 // the schema's format: 1 to 4
  writeFileSync(path, bytes)
  expect(() => openDatabase(path).prepare("SELECT id FROM one")).toThrow(
    new DreyError(`${path} is damaged, or of a newer version of SQLite`),
  )
})

test("a file that is not a database is refused on opening, and is not changed", () => {
  const path = newPath()
  const content = "# Decisions\n".repeat(500)
  writeFileSync(path, content)
  expect(() => openDatabase(path)).toThrow(new DreyError(`${path} is not a SQLite database`))
  expect(readFileSync(path, "utf8")).toBe(content)
})

test("a damaged database is reported with a message by every way of reading", () => {
  const path = newPath()
  const database = openDatabase(path)
  database.exec("CREATE TABLE item (name TEXT)")
  database.transaction("immediate", () => {
    for (let count = 0; count < 500; count++) database.prepare("INSERT INTO item VALUES (?)").run("x".repeat(200))
  })
  database.close()
  const handle = openSync(path, "r+")
  writeSync(handle, Buffer.alloc(80_000, 0xaa), 0, 80_000, 4096)
  closeSync(handle)

  const damaged = openDatabase(path)
  const select = damaged.prepare("SELECT * FROM item")
  const sentence = new DreyError(`${path} is damaged: SQLite cannot make sense of its content`)
  expect(() => select.all()).toThrow(sentence)
  expect(() => select.get()).toThrow(sentence)
  expect(() => [...select.iterate()]).toThrow(sentence)
  expect(() => damaged.exec("INSERT INTO item VALUES ('x')")).toThrow(sentence)
  damaged.close()
})

test("a folder, or a file in a folder that does not exist, cannot be opened", () => {
  const folder = newFolder()
  expect(() => openDatabase(folder)).toThrow(DreyError)
  expect(() => openDatabase(join(folder, "missing/test.db"))).toThrow(/test\.db cannot be opened/)
  expect(() => openDatabase(join(folder, "test.db"), { readOnly: true })).toThrow(DreyError)
})

test("a database opened for reading is not written", () => {
  const path = newPath()
  openDatabase(path).exec("CREATE TABLE item (name TEXT)")
  const database = openDatabase(path, { readOnly: true })
  expect(database.prepare("SELECT * FROM item").all()).toEqual([])
  expect(() => database.exec("INSERT INTO item VALUES ('x')")).toThrow(/cannot be written/)
  database.close()
})

test("a database that another connection locks is busy after the given time", () => {
  const path = newPath()
  const [one, other] = [openDatabase(path), openDatabase(path, { timeoutMs: 80 })]
  one.exec("CREATE TABLE item (name TEXT)")
  const select = other.prepare("SELECT * FROM item")
  one.transaction("exclusive", () => {
    const start = performance.now()
    const error = thrownBy(() => other.exec("BEGIN IMMEDIATE"))
    expect(performance.now() - start).toBeGreaterThan(50)
    expect(error).toEqual(new DreyError(`${path} is in use by another process`))
    expect(isBusy(error)).toBe(true)
    expect(isBusy(thrownBy(() => select.all()))).toBe(true)
    expect(isBusy(thrownBy(() => [...select.iterate()]))).toBe(true)
  })
  expect(isBusy(thrownBy(() => one.exec("SELEKT")))).toBe(false)
  one.close()
  other.close()
})

test("a bug stays loud: wrong SQL is not a DreyError", () => {
  const database = openDatabase(":memory:")
  expect(thrownBy(() => database.prepare("SELEKT 1"))).not.toBeInstanceOf(DreyError)
  database.close()
})

test("SQLite's warning is not printed, while other warnings are", async () => {
  const folder = newFolder()
  const script = await bundleChild(
    folder,
    `import { openDatabase } from "./sqlite.ts"
     openDatabase(":memory:").close()
     process.emitWarning("this one is kept", "ExperimentalWarning")`,
  )
  const child = startChild(script)
  expect(await child.ended).toBe(0)
  expect(child.errors()).toContain("this one is kept")
  expect(child.errors()).not.toContain("SQLite")
})

test("importing the driver loads no SQLite", async () => {
  const folder = newFolder()
  const script = await bundleChild(
    folder,
    `import { openDatabase } from "./sqlite.ts"
     import { createRequire } from "node:module"
     const loaded = () => process.moduleLoadList.includes("NativeModule sqlite") ||
       Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("photostructure"))
     console.log(loaded())
     openDatabase(":memory:").close()
     console.log(loaded())`,
  )
  const child = startChild(script)
  expect([await child.nextLine(), await child.nextLine()]).toEqual(["false", "true"])
  expect(await child.ended).toBe(0)
})
