import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { type Database, openDatabase } from "../disk/sqlite.ts"
import { DreyError } from "../errors.ts"
import { testStore } from "./contract/store-contract.ts"
import { flushReasons, frustrations } from "./episode.ts"
import type { LearnedStore } from "./learned-store.ts"
import { applicationId, schemaVersion } from "./ledger.ts"
import {
  evidenceSources,
  memoryKinds,
  memoryOrigins,
  memoryScopes,
  memoryStatuses,
  memoryTiers,
  ownerTypes,
} from "./memory.ts"
import { migrateSqlite, sqliteMigrations } from "./sqlite-migrations.ts"
import { openStoreFile, sqliteStore } from "./sqlite-store.ts"
import { add, dumpStore, learn, learnOne, minute, newStorePath, wordEmbedder } from "./test-store.ts"

function openStore(path = newStorePath(), options: Parameters<typeof sqliteStore>[1] = {}): LearnedStore {
  const store = sqliteStore(path, options)
  onTestFinished(() => store.close())
  return store
}

const paths = new WeakMap<LearnedStore, string>()

testStore("sqlite", async ({ beside, ...options } = {}) => {
  const path = (beside && paths.get(beside)) ?? newStorePath()
  const store = openStore(path, { maxAttempts: 3, baselineWindow: 4, ...options })
  paths.set(store, path)
  return store
})

test("not one byte of a purged memory is left in the files", async () => {
  const path = newStorePath()
  const store = openStore(path)
  const secret = "the zanzibar handshake is opened by ferret"
  const [id = ""] = [await learnOne(store, "a", add(secret))]
  await learnOne(store, "b", add("Another one"))
  await store.setPinned(id, true, minute(31))
  const isThere = () =>
    readdirSync(dirname(path)).some((name) => readFileSync(join(dirname(path), name)).includes("zanzibar"))
  await store.forget([id], { purge: true, reason: "private", now: minute(32) })
  expect(isThere()).toBe(false)
  await learnOne(store, "c", add(`${secret}, again`), { end: minute(60) })
  expect(isThere()).toBe(true)
})

test("memories from before there was an embedder, or from another one, get their vectors with the next commit", async () => {
  const path = newStorePath()
  const models = () =>
    dumpStore(path)
      .filter((row) => row.startsWith("memories "))
      .map((row) => /words-\d|broken/.exec(row)?.[0])
  const broken = { id: "broken", vector: () => expect.unreachable() }
  await learn(openStore(path), "a", [add("One")])
  await learn(openStore(path, { embed: broken }), "b", [add("Two")])
  expect(models()).toEqual([undefined, undefined])
  await learn(openStore(path, { embed: wordEmbedder }), "c", [])
  expect(models()).toEqual(["words-1", "words-1"])
  const version = await openStore(path).version("p-one")
  await learn(openStore(path, { embed: { ...wordEmbedder, id: "words-2" } }), "d", [add("Three")])
  expect(models()).toEqual(["words-2", "words-2", "words-2"])
  expect(await openStore(path).version("p-one")).toBe(version + 1)
})

test("a closed store can be queried again", async () => {
  const path = newStorePath()
  const store = openStore(path)
  const id = await learnOne(store, "a", add("One"))
  await store.close()
  expect(await store.find(id)).toHaveLength(1)
})

async function opened(path = newStorePath()): Promise<Database> {
  const database = await openStoreFile(path)
  onTestFinished(() => database.close())
  return database
}

function setting(database: Database, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
}

test("the database is private, durable and checks references", async () => {
  const path = newStorePath()
  const database = await opened(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  expect(setting(database, "journal_mode")).toBe("wal")
  expect(setting(database, "synchronous")).toBe(2)
  expect(setting(database, "foreign_keys")).toBe(1)
  expect(setting(database, "application_id")).toBe(applicationId)
  database.exec("INSERT INTO seen_records (hash) VALUES (1)")
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600)
})

test("queries alone create nothing", async () => {
  const path = newStorePath()
  const store = sqliteStore(path)
  expect(await store.memories({})).toEqual([])
  expect(existsSync(dirname(path))).toBe(false)
  await store.registerProject("p-one", "/one")
  expect(existsSync(path)).toBe(true)
  await store.close()
})

test("a database of every older version, with content, is migrated to this version and keeps its content", async () => {
  expect(sqliteMigrations).toHaveLength(schemaVersion)
  const tables = (dump: string[]) => dump.map((row) => row.split(" ")[0])
  for (let version = 0; version <= schemaVersion; version++) {
    const path = newStorePath()
    mkdirSync(dirname(path))
    const old = openDatabase(path)
    if (version > 0) migrateSqlite(old, sqliteMigrations.slice(0, version))
    if (version > 0)
      old.exec(
        "INSERT INTO projects (project_id, root) VALUES ('p-one', '/one'); INSERT INTO seen_records (hash) VALUES (-7)",
      )
    old.close()
    const store = sqliteStore(path)
    await learn(store, "a", [add("One")])
    await store.close()
    const dump = dumpStore(path)
    expect(setting(await opened(path), "user_version")).toBe(schemaVersion)
    expect(tables(dump)).toContain("memories")
    if (version > 0)
      expect(dump.filter((row) => row.includes('"/one"') || row.startsWith("seen_records"))).toHaveLength(2)
  }
})

test("a failing migration step leaves the database at its version", async () => {
  const database = await opened()
  const before = database.prepare("SELECT sql FROM sqlite_schema").all()
  expect(() => migrateSqlite(database, [...sqliteMigrations, "CREATE TABLE more (a); nonsense"])).toThrow()
  expect(setting(database, "user_version")).toBe(schemaVersion)
  expect(database.prepare("SELECT sql FROM sqlite_schema").all()).toEqual(before)
  migrateSqlite(database, [...sqliteMigrations, "CREATE TABLE more (a)"])
  expect(setting(database, "user_version")).toBe(schemaVersion + 1)
})

test("a database of a later version is refused with a clear message and not changed", async () => {
  const path = newStorePath()
  const database = await opened(path)
  database.exec(`PRAGMA user_version = ${schemaVersion + 1}; PRAGMA wal_checkpoint(TRUNCATE)`)
  const before = readFileSync(path)
  const store = sqliteStore(path)
  for (const act of [() => store.memories({}), () => store.registerProject("p", "/")]) {
    await expect(act()).rejects.toThrow(/later version of Drey/)
    await expect(act()).rejects.toBeInstanceOf(DreyError)
  }
  expect(readFileSync(path).equals(before)).toBe(true)
})

test("another program's database and a file that is not one are refused", async () => {
  for (const write of [
    (path: string) => {
      const foreign = openDatabase(path)
      foreign.exec("CREATE TABLE theirs (a)")
      foreign.close()
    },
    (path: string) => writeFileSync(path, "not a database, but long enough to look at ".repeat(50)),
  ]) {
    const path = newStorePath()
    mkdirSync(dirname(path))
    write(path)
    const before = readFileSync(path)
    await expect(openStoreFile(path)).rejects.toBeInstanceOf(DreyError)
    expect(readFileSync(path).equals(before)).toBe(true)
  }
})

test("a repaired error does not persist", async () => {
  const path = newStorePath()
  mkdirSync(dirname(path))
  writeFileSync(path, "not a database, but long enough to look at ".repeat(50))
  const store = sqliteStore(path)
  await expect(store.memories({})).rejects.toThrow()
  writeFileSync(path, "")
  chmodSync(path, 0o600)
  expect(await store.memories({})).toEqual([])
  await store.close()
})

const memory = {
  memory_id: "m-1",
  project_id: "p-one",
  scope: "project",
  path_prefix: null,
  owner_type: "user",
  owner_id: "kim",
  kind: "note",
  tier: "short_term",
  polarity: 1,
  key: null,
  text: "Text",
  text_hash: "hash",
  status: "provisional",
  confidence: 0.5,
  pinned: 0,
  trigger_json: "{}",
  origin: "user",
  trust: 3,
  created_at: minute(0),
  updated_at: minute(0),
}

function put(database: Database, table: string, row: Record<string, string | number | null>): void {
  const names = Object.keys(row)
  database
    .prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `:${name}`).join(", ")})`)
    .run(row)
}

test("the tables refuse invalid memories", async () => {
  const database = await opened()
  database.exec("INSERT INTO projects (project_id, root) VALUES ('p-one', '/one')")
  const wrong: Record<string, string | number | null>[] = [
    { scope: "galaxy" },
    { scope: "global" },
    { scope: "repo_path" },
    { path_prefix: "src" },
    ...["/src", "src/", "../src", "src/../lib", "src\\lib", "", "./src"].map((path_prefix) => ({
      scope: "repo_path",
      path_prefix,
    })),
    { owner_type: "company" },
    { kind: "gotcha" },
    { kind: "guard" },
    { tier: "eternal" },
    { polarity: 0 },
    { key: "" },
    { text: "" },
    { text: "x".repeat(301) },
    { status: "superseded" },
    { confidence: 1.1 },
    { pinned: 2 },
    { flags: "not JSON" },
    { trigger_json: "{" },
    { origin: "rumour" },
    { trust: 4 },
    { project_id: "p-unknown" },
    { embedding_model: "model" },
    { embedding: "ab", embedding_model: "model", embedding_dims: 3 },
  ]
  for (const given of wrong)
    expect(() => put(database, "memories", { ...memory, ...given }), JSON.stringify(given)).toThrow()
  put(database, "memories", {
    ...memory,
    scope: "repo_path",
    path_prefix: "src/lib",
    key: "project.db.engine",
    kind: "invariant",
  })
  const second = {
    ...memory,
    memory_id: "m-2",
    scope: "repo_path",
    path_prefix: "src/lib",
    key: "project.db.engine",
    kind: "preference",
  }
  expect(() => put(database, "memories", second)).toThrow(/UNIQUE/)
  put(database, "memories", { ...second, status: "deprecated" })
})

test("the tables accept exactly the values of the contract", async () => {
  const database = await opened()
  const sql = (table: string) =>
    database.prepare<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = ?").get(table)?.sql ?? ""
  const words = (table: string, column: string) => {
    const list = new RegExp(`CHECK \\(${column} IN \\(('[^)]*)\\)`).exec(sql(table))?.[1] ?? ""
    return list.split(", ").map((word) => word.slice(1, -1))
  }
  expect(words("memories", "scope")).toEqual([...memoryScopes])
  expect(words("memories", "owner_type")).toEqual([...ownerTypes])
  expect(words("memories", "kind")).toEqual([...memoryKinds])
  expect(words("memories", "tier")).toEqual([...memoryTiers])
  expect(words("memories", "status")).toEqual([...memoryStatuses])
  expect(words("memories", "origin")).toEqual([...memoryOrigins])
  expect(words("evidence", "source")).toEqual([...evidenceSources])
  expect(words("evidence", "frustration")).toEqual([...frustrations])
  expect(words("episodes", "flush_reason")).toEqual([...flushReasons])
})

test("no table is virtual: what SQLite's extensions cannot update in place is not used", async () => {
  const database = await opened()
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'").all()).toEqual([])
})
