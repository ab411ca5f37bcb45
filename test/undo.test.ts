import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { fakeSecret, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree, writeFiles } from "./run-cli.ts"
import { warmCliIn } from "./warm-cli.ts"

const clock = new Date("2026-11-15T12:00:00Z")
const decisions = ".squad/decisions.md"
const index = ".squad/memory/index.json"

function dreyIn(root: string) {
  return openDrey({ root, now: () => clock, environment: { DREY_HOME: join(root, "home") } })
}

function textOf(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8")
}

/** The store as users see it; the audit stays, since it records what happened. */
function filesOf(root: string): Record<string, string> {
  const isSeen = ([path, text]: [string, string]) =>
    text !== "a folder" && !/^(?:home|\.squad\/\.drey|\.squad\/memory\/audit)/.test(path)
  return Object.fromEntries(Object.entries(readTree(root)).filter(isSeen))
}

async function stored(root: string, content: string, memoryClass = "LOCAL"): Promise<string> {
  const memory = dreyIn(root).governed
  const result = await memory.write({ content, title: content, class: memoryClass })
  if (!result.stored) throw new Error("not stored")
  return result.id
}

async function commandsOf(root: string): Promise<string[]> {
  return (await dreyIn(root).team.changes.undo()).map(({ command }) => command)
}

test("undo after init and a memory write reverts the write, and then init", async () => {
  const cwd = makeRepository({})
  const { run } = warmCliIn(cwd)
  await run("init")
  const before = filesOf(cwd)
  await run("memory", "write", "Use moss for the roof", "--class", "LOCAL")
  expect(filesOf(cwd)).not.toEqual(before)
  expect((await run("undo", "--dry-run")).stdout).toContain('Would undo "memory write"')
  expect((await run("undo")).stdout).toContain('Undid "memory write"')
  expect(filesOf(cwd)).toEqual(before)
  expect((await run("undo")).stdout).toContain('Undid "init"')
  expect(existsSync(join(cwd, decisions))).toBe(false)
})

test("undo of a memory write takes its record out of the index and leaves the others", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  await stored(root, "First moss")
  const before = filesOf(root)
  await stored(root, "Second moss")
  expect(await commandsOf(root)).toEqual(["memory write"])
  expect(filesOf(root)).toEqual(before)
  const memory = dreyIn(root).governed
  expect((await memory.search("moss")).map(({ title }) => title)).toEqual(["First moss"])
})

test("undo of a memory write refuses when the file was changed since", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  await stored(root, "First moss")
  const path = Object.keys(filesOf(root)).find((name) => name.startsWith(".squad/memory/local/")) ?? ""
  writeFiles(root, { [path]: `${textOf(root, path)}A later word.\n` })
  await expect(dreyIn(root).team.changes.undo()).rejects.toThrow(
    `${path} was changed after "memory write"; nothing was undone`,
  )
})

test("undo of an agent's memory cuts off what was added, byte for byte", async () => {
  const history = ".squad/agents/kane/history.md"
  const root = makeRepository({ [history]: "# Kane\r\n\r\nÄlter.\r\n" })
  const before = textOf(root, history)
  await dreyIn(root).governed.saveForAgent("kane", "Moss grows north")
  await dreyIn(root).governed.saveForAgent("kane", "Moss grows slowly")
  await dreyIn(root).governed.saveForAgent("ines", "Moss is soft")
  expect(await commandsOf(root)).toEqual(["memory write"])
  expect(existsSync(join(root, ".squad/agents/ines/history.md"))).toBe(false)
  await dreyIn(root).team.changes.undo()
  expect(textOf(root, history)).toContain("grows north")
  await dreyIn(root).team.changes.undo()
  expect(textOf(root, history)).toBe(before)
  expect(existsSync(join(root, index))).toBe(false)
})

test("undo of a promotion makes the old memory active again and removes its successor", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  const id = await stored(root, "Grow moss")
  const before = filesOf(root)
  const memory = dreyIn(root).governed
  await memory.promote(id, "DECISION")
  expect(await commandsOf(root)).toEqual(["memory promote"])
  expect(filesOf(root)).toEqual(before)
  expect(await memory.list()).toMatchObject([{ id, status: "active" }])
})

test("undo of a promotion out of a history leaves the history as it was", async () => {
  const root = makeRepository({ ".squad/agents/kane/history.md": "# Kane\n" })
  const saved = await dreyIn(root).governed.saveForAgent("kane", "Moss grows north")
  if (saved.kind !== "stored") throw new Error("not stored")
  const before = filesOf(root)
  await dreyIn(root).governed.promote(saved.id, "DECISION")
  expect(filesOf(root)).not.toEqual(before)
  expect(await commandsOf(root)).toEqual(["memory promote"])
  expect(filesOf(root)).toEqual(before)
})

test.each([false, true])("undo of a deletion makes the memory readable again (merged: %s)", async (isMerged) => {
  const root = makeRepository({ ".squad/team.md": "" })
  const id = await stored(root, "Grow moss", "DECISION")
  if (isMerged) await dreyIn(root).team.merge()
  const before = filesOf(root)
  const memory = dreyIn(root).governed
  expect(await memory.delete(id)).toBe(true)
  expect(await memory.search("moss")).toEqual([])
  expect(await commandsOf(root)).toEqual(["memory delete"])
  expect(filesOf(root)).toEqual(before)
  expect((await memory.search("moss")).map((found) => found.id)).toEqual([id])
  expect((await memory.read(id)).content).toContain("Grow moss")
  expect(await memory.delete(id)).toBe(true)
})

test("a merge can be undone although the index was written since", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  const id = await stored(root, "Grow moss", "DECISION")
  const before = JSON.parse(textOf(root, index))
  await dreyIn(root).team.merge()
  const other = { ...before[0], id: "11111111-1111-4111-8111-111111111111", path: ".squad/memory/local/other.md" }
  writeFiles(root, { [index]: JSON.stringify([...JSON.parse(textOf(root, index)), other]) })
  expect(await commandsOf(root)).toEqual(["merge"])
  expect(JSON.parse(textOf(root, index))).toEqual([...before, other])
  expect((await dreyIn(root).governed.read(id)).content).toContain("Grow moss")
})

test("merge, memory write and tidy are undone one after the other", async () => {
  const root = makeRepository({
    ".squad/decisions/inbox/wren.md": semEntry("2026-11-14T10:00:00+0000", "decision", "Use tabs"),
  })
  const before = filesOf(root)
  await stored(root, "Grow moss", "DECISION")
  await dreyIn(root).team.merge()
  await stored(root, "Grow ferns", "POLICY")
  await dreyIn(root).team.tidy()
  const undone: string[] = []
  for (let count = 0; count < 4; count++) undone.push(...(await commandsOf(root)))
  expect(undone).toEqual(["tidy", "memory write", "merge", "memory write"])
  expect(filesOf(root)).toMatchObject(before)
  await expect(dreyIn(root).team.changes.undo()).rejects.toThrow("There is no change to undo")
})

test("every undo has its line in the audit, without content", async () => {
  const root = makeRepository({ ".squad/team.md": "" })
  await stored(root, "Grow moss")
  await dreyIn(root).team.changes.undo()
  const memory = dreyIn(root).governed
  const line = (await memory.audit()).at(-1)
  expect(line).toEqual({ timestamp: clock.toISOString(), action: "configure", reason: 'Undid "memory write"' })
  expect((await memory.verifyAudit()).problems).toEqual([])
})

test("nothing of a file that is set aside for a secret is kept for undo, which moves it back", async () => {
  const secret = fakeSecret()
  const path = ".squad/decisions/inbox/rook.md"
  const named = `.squad/decisions/inbox/rook-${secret}.md`
  const root = makeRepository({ [path]: `# Deploy\n\nThe token is ${secret}\n`, [named]: `Say ${secret}\n` })
  const before = filesOf(root)
  await dreyIn(root).team.merge()
  const holders = Object.entries(readTree(root)).filter(([name, text]) => `${name}\n${text}`.includes(secret))
  expect(holders.map(([name]) => name)).toEqual([
    ".squad/decisions/inbox/.quarantine/line-1.md",
    ".squad/decisions/inbox/.quarantine/rook.md",
  ])
  expect(await commandsOf(root)).toEqual(["merge"])
  expect(filesOf(root)).toEqual({ [path]: before[path], ".squad/decisions/inbox/line-1.md": before[named] })
})

test("a merge can be undone after the file that it set aside was thrown away", async () => {
  const root = makeRepository({
    ".squad/decisions/inbox/rook.md": `The token is ${fakeSecret()}\n`,
    ".squad/decisions/inbox/wren.md": semEntry("2026-11-14T10:00:00+0000", "decision", "Use tabs"),
  })
  await dreyIn(root).team.merge()
  rmSync(join(root, ".squad/decisions/inbox/.quarantine"), { recursive: true })
  expect(await commandsOf(root)).toEqual(["merge"])
  expect(Object.keys(filesOf(root))).toEqual([".squad/decisions/inbox/wren.md"])
})
