import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { basename, dirname } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { isDamaged, openDatabase } from "../disk/sqlite.ts"
import { schemaVersion } from "./index-file.ts"
import { sqliteIndex } from "./sqlite-index.ts"
import { newIndexPath } from "./test-index-path.ts"
import { testItem } from "./test-items.ts"

async function open(path: string) {
  const index = await sqliteIndex(path)
  onTestFinished(() => index.close())
  return index
}

const origin = { key: "decisions.md", stamp: "1", items: [testItem("a")] }

test("an index persists when it is opened again, and only its owner may read it", async () => {
  const path = newIndexPath()
  const index = await sqliteIndex(path)
  expect(index.wasSetAside).toBeUndefined()
  await index.update([origin])
  if (process.platform !== "win32") {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  }
  await index.close()
  const again = await open(path)
  expect(again.wasSetAside).toBeUndefined()
  expect(await again.items(["a"])).toHaveLength(1)
})

const unusable: [string, (path: string) => void][] = [
  ["is no database", (path) => writeFileSync(path, "# Decisions\n".repeat(500))],
  ["was cut short", (path) => writeFileSync(path, "SQLite format 3\0")],
  [
    "belongs to another program",
    (path) => execute(path, "CREATE TABLE person (name TEXT); INSERT INTO person VALUES ('Kane')"),
  ],
  [
    "is of an older version",
    (path) =>
      execute(
        path,
        `PRAGMA application_id = ${0x44726579}; PRAGMA user_version = ${schemaVersion - 1}; CREATE TABLE x (y)`,
      ),
  ],
  [
    "is of a newer version",
    (path) =>
      execute(
        path,
        `PRAGMA application_id = ${0x44726579}; PRAGMA user_version = ${schemaVersion + 1}; CREATE TABLE x (y)`,
      ),
  ],
]

test.each(unusable)("a file that %s is set aside whole, and a new index is created", async (_, write) => {
  const path = newIndexPath()
  mkdirSync(dirname(path))
  write(path)
  const content = readFileSync(path)
  const index = await open(path)
  expect(index.wasSetAside).toBe(`${path}.aside-1`)
  expect(readFileSync(`${path}.aside-1`).equals(content)).toBe(true)
  await index.update([origin])
  expect(await index.items(["a"])).toHaveLength(1)
})

test("a file that is moved aside never overwrites an earlier one", async () => {
  const path = newIndexPath()
  mkdirSync(dirname(path))
  for (const number of [1, 2]) {
    writeFileSync(path, `not a database, ${number}`)
    await (await sqliteIndex(path)).close()
  }
  expect(readFileSync(`${path}.aside-1`, "utf8")).toBe("not a database, 1")
  expect(readFileSync(`${path}.aside-2`, "utf8")).toBe("not a database, 2")
})

test("an empty file becomes a new index", async () => {
  const path = newIndexPath()
  mkdirSync(dirname(path))
  writeFileSync(path, "")
  expect((await open(path)).wasSetAside).toBeUndefined()
  expect(readdirSync(dirname(path)).filter((name) => name.includes("aside"))).toEqual([])
})

test("damage found in use is detected, and the process starts a new file; a second process keeps that file", async () => {
  const path = newIndexPath()
  const first = await sqliteIndex(path)
  await first.update([{ ...origin, items: Array.from({ length: 300 }, (_, number) => testItem(`item-${number}`)) }])
  await first.close()
  execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
  const handle = openSync(path, "r+")
  const size = statSync(path).size
  for (let at = 16_384; at < size; at += 4096) writeSync(handle, Buffer.alloc(4000, 0xaa), 0, 4000, at)
  closeSync(handle)

  const [one, two] = [await open(path), await open(path)]
  const error = await one.select({}, { now: 0 }).catch((thrown: unknown) => thrown)
  expect(isDamaged(error)).toBe(true)
  expect(await one.setAside()).toBe(`${path}.aside-1`)
  await one.update([origin])
  expect(await two.setAside()).toBeUndefined()
  expect(await two.items(["a"])).toHaveLength(1)
  expect(existsSync(`${path}.aside-2`)).toBe(false)
})

test("processes that open a missing index at once all get the same one", async () => {
  const path = newIndexPath()
  const indexes = await Promise.all(Array.from({ length: 8 }, () => open(path)))
  await Promise.all(
    indexes.map((index, number) =>
      index.update([{ key: `${number}.md`, stamp: "1", items: [testItem(`item-${number}`)] }]),
    ),
  )
  for (const index of indexes) expect((await index.origins()).size).toBe(8)
  expect(readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.aside`))).toEqual([])
})

function execute(path: string, sql: string): void {
  const database = openDatabase(path)
  database.exec(sql)
  database.close()
}
