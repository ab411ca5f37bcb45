import { execFileSync } from "node:child_process"
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { DreyError, exitCode } from "../errors.ts"
import { storeLockPath, withFolderLock, withLock, withLockIfFree } from "./lock.ts"
import { openDatabase } from "./sqlite.ts"

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-lock-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A process that takes the lock, prints "held", and keeps it until it is killed. */
async function startHolder(folder: string, lockPath: string) {
  const script = await bundleChild(
    folder,
    `import { withLock } from "./lock.ts"
     await withLock(process.argv[2] ?? "", () => {
       console.log("held")
       return new Promise((resolve) => setTimeout(resolve, 120_000))
     })`,
  )
  const child = startChild(script, lockPath)
  expect(await child.nextLine()).toBe("held")
  return child
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("it did not fail"),
    (error) => error,
  )
}

test("the result is returned, async or not, and an error releases the lock", async () => {
  const lockPath = storeLockPath(newFolder())
  expect(await withLock(lockPath, () => 1)).toBe(1)
  expect(await withLock(lockPath, async () => 2)).toBe(2)
  const failing = () => Promise.reject(new Error("failed inside"))
  await expect(withLock(lockPath, failing)).rejects.toThrow("failed inside")
  expect(await withLock(lockPath, () => 3, { waitMs: 0 })).toBe(3)
})

test("the lock's folder is created and git ignores all of it", async () => {
  const lockPath = storeLockPath(join(newFolder(), "new/.squad"))
  const inside = () => ({ files: readdirSync(dirname(lockPath)), bytes: statSync(lockPath).size })
  expect(await withLock(lockPath, inside)).toEqual({ files: [".gitignore", "lock"], bytes: 0 })
  expect(readFileSync(join(dirname(lockPath), ".gitignore"), "utf8")).toBe("*\n")
})

test("a folder with other files gets no .gitignore", async () => {
  const lockPath = storeLockPath(newFolder())
  mkdirSync(dirname(lockPath))
  writeFileSync(join(dirname(lockPath), "notes.md"), "mine")
  await withLock(lockPath, () => undefined)
  expect(readdirSync(dirname(lockPath))).toEqual(["lock", "notes.md"])
})

test("calls in one process take turns", async () => {
  const lockPath = storeLockPath(newFolder())
  let inside = 0
  let most = 0
  const turns = Array.from({ length: 8 }, () =>
    withLock(lockPath, async () => {
      most = Math.max(most, ++inside)
      await new Promise(setImmediate)
      inside--
    }),
  )
  await Promise.all(turns)
  expect(most).toBe(1)
})

test("a waiter that gives up, in the same process, does not release the holder's lock", async () => {
  const folder = newFolder()
  const lockPath = storeLockPath(folder)
  const script = await bundleChild(
    folder,
    `import { withLock } from "./lock.ts"
     const waitMs = 0
     await withLock(process.argv[2] ?? "", () => console.log("taken"), { waitMs }).catch(() => console.log("refused"))`,
  )
  await withLock(lockPath, async () => {
    await expect(withLock(lockPath, () => undefined, { waitMs: 20 })).rejects.toThrow("another Drey process")
    expect(await startChild(script, lockPath).nextLine()).toBe("refused")
  })
  expect(await startChild(script, lockPath).nextLine()).toBe("taken")
})

test("waiting ends with a message, in time, and the event loop runs meanwhile", async () => {
  const folder = newFolder()
  const lockPath = storeLockPath(folder)
  const holder = await startHolder(folder, lockPath)
  let ticks = 0
  const ticking = setInterval(() => ticks++, 10)
  const start = performance.now()
  const error = await rejection(withLock(lockPath, () => undefined, { waitMs: 400 }))
  const waited = performance.now() - start
  clearInterval(ticking)
  holder.process.kill("SIGKILL")
  await holder.ended

  expect(error).toBeInstanceOf(DreyError)
  expect(error).toMatchObject({
    message: `${lockPath} is held by another Drey process; gave up after 0.4 s`,
    exitCode: exitCode.no,
  })
  expect(waited).toBeGreaterThanOrEqual(390)
  expect(waited).toBeLessThan(2000)
  expect(ticks).toBeGreaterThan(10)
})

test("a lock is released as soon as its holder is killed", async () => {
  const folder = newFolder()
  const lockPath = storeLockPath(folder)
  const holder = await startHolder(folder, lockPath)
  await expect(withLock(lockPath, () => undefined, { waitMs: 0 })).rejects.toThrow(DreyError)
  const waiting = withLock(lockPath, () => "taken over", { waitMs: 60_000 })
  holder.process.kill("SIGKILL")
  expect(await holder.ended).toBe("SIGKILL")
  const start = performance.now()
  expect(await waiting).toBe("taken over")
  expect(performance.now() - start).toBeLessThan(1000)
})

test("8 processes that count to 20 each under the lock lose nothing", async () => {
  const folder = newFolder()
  const counter = join(folder, "counter")
  writeFileSync(counter, "0")
  const script = await bundleChild(
    folder,
    `import { readFileSync, writeFileSync } from "node:fs"
     import { storeLockPath, withLock } from "./lock.ts"
     const [, , store = "", counter = ""] = process.argv
     for (let count = 0; count < 20; count++) {
       await withLock(storeLockPath(store), async () => {
         const before = Number(readFileSync(counter, "utf8"))
         await new Promise(setImmediate)
         writeFileSync(counter, String(before + 1))
       }, { waitMs: 60_000 })
     }`,
  )
  const store = join(folder, ".squad") // does not exist: making it is part of the race
  const children = Array.from({ length: 8 }, () => startChild(script, store, counter))
  expect(await Promise.all(children.map((child) => child.ended))).toEqual(Array(8).fill(0))
  expect(children.map((child) => child.errors()).join("")).toBe("")
  expect(readFileSync(counter, "utf8")).toBe("160")
})

test("a lock folder that disappears during a wait is created again", async () => {
  const folder = newFolder()
  const lockPath = storeLockPath(folder)
  const holder = await startHolder(folder, lockPath)
  const waiting = withLock(lockPath, () => "taken", { waitMs: 60_000 })
  rmSync(dirname(lockPath), { recursive: true })
  expect(await waiting).toBe("taken")
  holder.process.kill("SIGKILL")
  await holder.ended
})

test("a foreign file in the lock's place is refused with a message", async () => {
  const lockPath = storeLockPath(newFolder())
  mkdirSync(dirname(lockPath))
  writeFileSync(lockPath, "not a lock\n".repeat(100))
  await expect(withLock(lockPath, () => undefined)).rejects.toThrow(
    `${lockPath} is not empty, so it cannot be used as a lock`,
  )
})

/** What SQLite would find: a database with a journal that names a file to delete when it has been played back. */
function plantJournal(lockPath: string, victim: string): void {
  mkdirSync(dirname(lockPath), { recursive: true })
  const database = openDatabase(lockPath)
  database.exec("CREATE TABLE planted (x)")
  database.close()
  const name = Buffer.from(victim)
  const header = Buffer.alloc(512)
  header.write("d9d505f920a163d7", "hex")
  header.writeUInt32BE(2, 16) // pages
  header.writeUInt32BE(512, 20) // bytes of a sector
  header.writeUInt32BE(4096, 24) // bytes of a page
  const end = Buffer.alloc(16)
  end.writeUInt32BE(name.length, 0)
  end.writeInt32BE(
    name.reduce((sum, byte) => sum + byte, 0),
    4,
  )
  end.write("d9d505f920a163d7", 8, "hex")
  const page = Buffer.alloc(4)
  page.writeUInt32BE(0x40000000 / 4096 + 1)
  writeFileSync(`${lockPath}-journal`, Buffer.concat([header, page, name, end]))
}

test("a journal that a clone has beside a lock is never replayed, so no file is deleted by it", async () => {
  const folder = newFolder()
  const victim = join(folder, "id_ed25519")
  for (const name of ["lock", "graduation.lock"] as const) {
    const clone = join(folder, name)
    plantJournal(join(clone, ".drey", name), victim)
    writeFileSync(victim, "a key\n")
    const taken = withFolderLock(clone, () => expect.unreachable("it was taken"), { name, waitMs: 0 })
    await expect(taken).rejects.toThrow(`${name} is not empty, so it cannot be used as a lock`)
    writeFileSync(join(clone, ".drey", name), "") // an empty lock does not make the journal harmless
    const again = withFolderLock(clone, () => expect.unreachable("it was taken"), { name, waitMs: 0 })
    await expect(again).rejects.toThrow(`${name}-journal does not belong there, so it cannot be used as a lock`)
    expect(readFileSync(victim, "utf8")).toBe("a key\n")
    expect(existsSync(join(clone, ".drey", `${name}-journal`))).toBe(true)
  }
  const clone = join(folder, "control")
  plantJournal(join(clone, "lock"), victim)
  openDatabase(join(clone, "lock")).close()
  expect(existsSync(victim)).toBe(false) // the journal is a real one: SQLite itself does what it says
})

test.each<[string, (lockPath: string, outside: string) => void, RegExp]>([
  ["a link", (lock, outside) => symlinkSync(outside, lock), /lock is a link/],
  ["a link to nothing", (lock) => symlinkSync("nowhere", lock), /lock is a link/],
  ["a hard link", (lock, outside) => linkSync(outside, lock), /lock has another hard link/],
  ["a folder", (lock) => mkdirSync(lock), /lock is not a regular file/],
  ["a pipe", (lock) => void execFileSync("mkfifo", [lock]), /lock is not a regular file/],
  ["beside a -wal", (lock) => [lock, `${lock}-wal`].map((path) => writeFileSync(path, "")), /lock-wal does not belong/],
  ["beside a -shm", (lock) => [lock, `${lock}-shm`].map((path) => writeFileSync(path, "")), /lock-shm does not belong/],
  [
    "beside a journal that is a link to nothing",
    (lock) => [writeFileSync(lock, ""), symlinkSync("nowhere", `${lock}-journal`)],
    /lock-journal does not belong/,
  ],
])("a lock that is %s is not opened", async (_, plant, message) => {
  const folder = newFolder()
  const outside = join(folder, "outside")
  writeFileSync(outside, "")
  const lockPath = storeLockPath(join(folder, ".squad"))
  mkdirSync(dirname(lockPath), { recursive: true })
  plant(lockPath, outside)
  const taken = withFolderLock(join(folder, ".squad"), () => expect.unreachable("it was taken"))
  await expect(taken).rejects.toThrow(message)
  expect(readdirSync(folder).sort()).toEqual([".squad", "outside"])
  expect(readFileSync(outside, "utf8")).toBe("")
})

test("no lock is created in a folder whose .drey is a link", async () => {
  const folder = newFolder()
  mkdirSync(join(folder, ".squad"))
  mkdirSync(join(folder, "outside"))
  for (const target of ["../outside", "../nowhere"]) {
    symlinkSync(target, join(folder, ".squad/.drey"))
    const taken = withFolderLock(join(folder, ".squad"), () => expect.unreachable("it was taken"))
    await expect(taken).rejects.toThrow(/\.drey is a link, not a folder/)
    rmSync(join(folder, ".squad/.drey"))
  }
  expect(readdirSync(folder).sort()).toEqual([".squad", "outside"])
  expect(readdirSync(join(folder, "outside"))).toEqual([])
})

test("a store path that leads through a file is refused with a message", async () => {
  const file = join(newFolder(), "file")
  writeFileSync(file, "")
  await expect(withLock(storeLockPath(file), () => undefined)).rejects.toThrow(DreyError)
})

test("a caller that does not wait learns that the lock is held, and gets it when it is free", async () => {
  const folder = newFolder()
  const lockPath = storeLockPath(folder)
  const child = await startHolder(folder, lockPath)
  expect(await withLockIfFree(lockPath, () => expect.unreachable("it is held"))).toEqual({ kind: "held" })
  child.process.kill("SIGKILL")
  await child.ended
  expect(await withLockIfFree(lockPath, async () => 1)).toEqual({ kind: "done", result: 1 })
  await expect(withLockIfFree(lockPath, () => Promise.reject(new Error("failed inside")))).rejects.toThrow(
    "failed inside",
  )
  expect(await withLockIfFree(lockPath, () => 2)).toEqual({ kind: "done", result: 2 })
})
