import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { onFileOperation, onFileSync } from "../src/disk/atomic-write.ts"
import { openDrey } from "../src/drey.ts"
import { makeRepository } from "./run-cli.ts"
import { seeded } from "./seeded.ts"

/** What is left of a folder: each file's text; `null` for a folder. */
type Remains = Map<string, string | null>

/**
 * Follows what Drey's processes synced below a folder. A file's text is on the disk once the file was synced, its name once the folder was;
 * of everything else a power failure keeps what `keeps` says. Locks are SQLite's and never change.
 */
function followDisk(top: string) {
  const names = new Map<string, Map<string, string>>()
  const texts = new Map<string, string>()
  const listed = (folder: string) =>
    new Map(readdirSync(folder).flatMap((name) => (isLock(name) ? [] : [[name, fileOf(join(folder, name))]])))
  const syncAll = (path: string) => {
    if (isLock(path)) return
    sync(path)
    if (statSync(path).isDirectory()) for (const name of readdirSync(path)) syncAll(join(path, name))
  }
  function sync(path: string) {
    if (!path.startsWith(top)) return
    if (statSync(path).isDirectory()) names.set(path, listed(path))
    else texts.set(fileOf(path), readFileSync(path, "latin1"))
  }
  syncAll(top)
  onFileSync(sync)
  onTestFinished(() => onFileSync(undefined))

  function remains(keeps: (what: "name" | "text") => boolean, folder = top, found: Remains = new Map()): Remains {
    const now = listed(folder)
    const durable = names.get(folder) ?? new Map<string, string>()
    found.set(folder, null)
    for (const name of new Set([...now.keys(), ...durable.keys()])) {
      const path = join(folder, name)
      const kept = now.get(name) === durable.get(name) || keeps("name") ? now.get(name) : durable.get(name)
      if (kept === undefined) continue
      if (now.get(name) === kept && lstatSync(path).isDirectory()) remains(keeps, path, found)
      else if (now.get(name) === kept && keeps("text")) found.set(path, readFileSync(path, "latin1"))
      else found.set(path, texts.get(kept) ?? "")
    }
    return found
  }

  function restore(kept: Remains) {
    clear(top, kept)
    for (const [path, text] of kept) {
      if (text === null) mkdirSync(path, { recursive: true })
      else if (!isSame(path, text)) writeFileSync(path, text, "latin1")
    }
    syncAll(top)
  }
  return { remains, restore }
}

function clear(folder: string, kept: Remains): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (isLock(name)) continue
    if (!kept.has(path)) rmSync(path, { recursive: true })
    else if (lstatSync(path).isDirectory()) clear(path, kept)
  }
}

/** A file under any name; the number alone is used again after a removal. */
function fileOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true })
  return `${ino} ${birthtimeNs}`
}

const isLock = (path: string) => path.endsWith("lock")

function isSame(path: string, text: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && readFileSync(path, "latin1") === text
}

test.each([
  { loss: "all that was not synced", keepsName: 0, keepsText: 0 },
  { loss: "the texts that were not synced, but not their names", keepsName: 1, keepsText: 0 },
  { loss: "names and texts at random", keepsName: 0.5, keepsText: 0.5 },
])("a power failure that takes $loss takes nothing that was acknowledged", async ({ keepsName, keepsText }) => {
  const random = seeded(28)
  const root = makeRepository({ "clone/.squad/team.md": "# Team\n", "home/.keep": "" })
  const options = { root: join(root, "clone"), environment: { DREY_HOME: join(root, "home") } }
  const keeps = (what: "name" | "text") => random() < (what === "name" ? keepsName : keepsText)
  const first = await openDrey(options).governed.write({ content: "Moss grows on the first day", title: "First" })
  if (!first.stored) throw new Error("not stored")
  const stored = new Map([[first.id, "Moss grows on the first day"]])
  const disk = followDisk(root)
  const removed: string[] = []
  let interrupted = 0
  for (let round = 0; round < 24; round++) {
    let left = undefined as Remains | undefined
    let changes = 0
    const at = round % 4 === 1 ? undefined : Math.floor(random() * 14) // else the power fails after the write is acknowledged
    onFileOperation(() => {
      if (changes++ === at) left = disk.remains(keeps)
    })
    const memory = openDrey(options).governed
    const content = `Moss grows on day ${round}`
    const victim = round % 6 === 5 ? [...stored.keys()][1] : undefined
    const written =
      victim !== undefined
        ? await memory.delete(victim)
        : round % 4 === 3
          ? await memory.writeForAgent("kane", { content, title: `Agent's ${round}` })
          : await memory.write({ content, title: `Day ${round}` })
    onFileOperation(undefined)
    if (left !== undefined) interrupted++
    else if (typeof written === "object" && written.stored) stored.set(written.id, content)
    else {
      expect(written).toBe(true)
      removed.push(victim ?? "")
    }
    if (victim !== undefined) stored.delete(victim) // if it was interrupted, it may be there or not
    disk.restore(left ?? disk.remains(keeps))

    const after = openDrey(options).governed
    for (const id of removed) await expect(after.read(id)).rejects.toThrow()
    for (const [id, text] of stored) expect((await after.read(id)).content).toBe(text)
    expect((await after.verifyAudit()).problems).toEqual([])
    await openDrey(options).team.changes.list()
  }
  expect(interrupted).toBeGreaterThan(3)
  expect(stored.size).toBeGreaterThan(5)
  expect(removed.length).toBeGreaterThan(0)
})
