import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { openDrey } from "../../drey.ts"

async function open() {
  const root = makeRepository({ ".squad/team.md": "# Team\n" })
  const environment = { DREY_HOME: join(root, "home"), DREY_USER: "ines" }
  const drey = openDrey({ root, environment, now: () => new Date("2026-03-01T10:00:00Z") })
  const memory = drey.governed
  const content = "The cache is cleared at noon.\n\nAnd at midnight."
  const written = await memory.write({ content, title: "Cache times", author: "rook", class: "LOCAL" })
  if (!written.stored) throw new Error("it is stored")
  const editor = drey.team.editor
  const path = join(root, written.path)
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace("metadata: {}", "metadata: {}\nwatcher: mona").replaceAll("\n", "\r\n"),
  )
  const item = async () => (await editor.read(written.id)) ?? Promise.reject(new Error("it is gone"))
  return { root, drey, memory, editor, id: written.id, path, item, shown: written.path }
}

test("an edit of a governed memory changes its file and its record, and leaves the other lines of its head", async () => {
  const { editor, memory, drey, id, path, item, shown } = await open()
  const before = readFileSync(path, "utf8")
  const read = await item()
  expect(read).toMatchObject({
    title: "Cache times",
    markdown: "The cache is cleared at noon.\r\n\r\nAnd at midnight.",
    path: shown,
    line: 1,
  })
  const outcome = await editor.edit(id, { version: read.version, title: "Cache hours", markdown: "At noon only." })
  expect(outcome).toMatchObject({ kind: "done", id })
  const content = before.slice(before.indexOf("\r\nThe cache"))
  expect(readFileSync(path, "utf8")).toBe(
    before.replace('"Cache times"', '"Cache hours"').replace(content, "\r\nAt noon only.\r\n"),
  )
  expect(await memory.read(id)).toMatchObject({ title: "Cache hours", content: "At noon only.", status: "active" })
  expect((await memory.audit()).at(-1)).toMatchObject({ action: "write", id, actor: "ines", title: "Cache hours" })
  expect(await editor.edit(id, { version: read.version, title: "Third" })).toEqual({ kind: "changed" })
  await drey.team.changes.undo()
  expect(readFileSync(path, "utf8")).toBe(before)
  expect(await memory.list()).toMatchObject([{ title: "Cache times" }])
})

test("a pinned memory is always loaded, until it is not", async () => {
  const { editor, memory, id, item } = await open()
  await editor.pin(id, { version: (await item()).version, pinned: true })
  expect(await item()).toMatchObject({ pinned: true })
  expect(await memory.list()).toMatchObject([{ loadGuidance: "ALWAYS" }])
  await editor.pin(id, { version: (await item()).version, pinned: false })
  expect(await memory.list()).toMatchObject([{ loadGuidance: "ON-DEMAND" }])
})

test("what replaces a governed memory is one of its class, with links both ways, in one change", async () => {
  const { editor, memory, drey, id, item } = await open()
  const { version } = await item()
  const outcome = await editor.supersede(id, { version, title: "Cache hours", markdown: "At noon only." })
  if (outcome.kind !== "done" || outcome.id === null) throw new Error(outcome.kind)
  expect(await memory.list()).toMatchObject([{ id: outcome.id, title: "Cache hours", class: "LOCAL", supersedes: id }])
  expect(await memory.read(outcome.id)).toMatchObject({ author: "ines", content: "At noon only." })
  expect(await memory.read(id)).toMatchObject({ status: "superseded", supersededBy: outcome.id })
  expect((await item()).can.supersede).toBe(`it was replaced by ${outcome.id}`)
  await drey.team.changes.undo()
  expect(await memory.list()).toMatchObject([{ id, status: "active" }])
  expect(await item()).toMatchObject({ version })
})

test("a governed memory is forgotten with a tombstone, and comes back with undo", async () => {
  const { editor, memory, id, item } = await open()
  const outcome = await editor.forget(id, { version: (await item()).version })
  expect(outcome).toMatchObject({ kind: "done", id: null })
  expect(await memory.list()).toEqual([])
  expect(await editor.read(id)).toBeUndefined()
  expect(await editor.undo((outcome.kind === "done" && outcome.change) || "")).toMatchObject({ kind: "done" })
  expect(await memory.list()).toMatchObject([{ id }])
})

test("an entry that governed memory knows is changed in its file and in the index", async () => {
  const { editor, memory, drey } = await open()
  const written = await memory.writeForAgent("rook", { content: "The linter is slow", title: "Slow linter" })
  if (!written.stored) throw new Error("it is stored")
  const version = async () => (await editor.read(written.id))?.version ?? ""
  const title = async () => (await memory.list()).find(({ id }) => id === written.id)?.title
  await editor.edit(written.id, { version: await version(), title: "Slow formatter" })
  expect(await title()).toBe("Slow formatter")
  await drey.team.changes.undo()
  expect(await title()).toBe("Slow linter")
  await editor.forget(written.id, { version: await version() })
  expect(await title()).toBeUndefined()
})
