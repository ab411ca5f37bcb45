import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { semEntry } from "../../test/legacy-fixtures.ts"
import { makeRepository } from "../../test/run-cli.ts"
import { openDrey } from "../drey.ts"
import { parseQuery } from "../formats/query.ts"

const id = "m-0123456789abcdef"
const memory = {
  id,
  project_id: null,
  scope: "project",
  path_prefix: null,
  owner_type: "user",
  owner_id: "ines",
  kind: "pattern",
  tier: "short_term",
  polarity: 1,
  key: null,
  text: "Run the migrations before the tests",
  status: "active",
  confidence: 0.9,
  expires_at: null,
  created_at: "2026-02-01T00:00:00.000Z",
  updated_at: "2026-02-01T00:00:00.000Z",
}

/** A team with one decision, which has learned one thing; every change is a second later than the one before. */
async function open() {
  const root = makeRepository({
    ".squad/decisions.md": `# Decisions\n\n${semEntry("2026-01-10T09:00:00+0000", "decision", "Use tabs")}`,
    "learned.json": JSON.stringify({ version: "1.0", exported_at: memory.created_at, memories: [memory] }),
  })
  let seconds = 0
  const now = () => new Date(Date.parse("2026-03-02T09:00:00Z") + seconds++ * 1000)
  const drey = openDrey({ root, now, environment: { DREY_HOME: join(root, "home"), DREY_USER: "ines", HOME: root } })
  onTestFinished(() => drey.close())
  const learning = drey.memories
  await learning.import(join(root, "learned.json"))
  const editor = drey.team.editor
  const read = async (name: string) => {
    const item = await editor.read(name)
    if (!item) throw new Error(`there is no ${name}`)
    return item
  }
  return { root, drey, learning, editor, read }
}

test("a learned memory is read and edited like an entry; its rewording is a new memory", async () => {
  const { editor, read, learning } = await open()
  const { version, ...item } = await read(id)
  expect(item).toEqual({
    id,
    title: memory.text,
    markdown: memory.text,
    tags: [],
    pinned: false,
    can: { edit: true, supersede: true, pin: true, forget: true },
    path: "",
    line: 0,
  })
  const edited = await editor.edit(id, { version, markdown: "Run the migrations\nbefore the tests." })
  if (edited.kind !== "done" || edited.id === null) throw new Error(edited.kind)
  expect(await read(edited.id)).toMatchObject({ markdown: "Run the migrations before the tests." })
  expect((await read(id)).can).toMatchObject({ edit: "it is no longer active", pin: "it is no longer active" })
  expect((await learning.list()).filter(({ status }) => status !== "deprecated")).toMatchObject([{ derivedFrom: id }])
})

test("text that would be truncated is refused", async () => {
  const { editor, read } = await open()
  const { version } = await read(id)
  const change = { version, markdown: "One. Two. Three." }
  const reason = "a memory is one or two sentences, at most 300 characters"
  expect(await editor.edit(id, change)).toEqual({ kind: "refused", reason })
  expect(await editor.supersede(id, { ...change, title: "" })).toEqual({ kind: "refused", reason })
  expect(await editor.edit(id, { version, title: " " })).toEqual({ kind: "refused", reason: "the text is empty" })
})

test("the last change is undone first, whether of an entry or of a memory", async () => {
  const { editor, read, drey } = await open()
  const parsed = parseQuery("tabs")
  if (parsed.kind !== "query") throw new Error("this is a query")
  const [tabs] = (await drey.search.entries(parsed.query)).entries
  const entry = await read(tabs?.id ?? "")
  await editor.pin(id, { version: (await read(id)).version, pinned: true })
  await editor.pin(entry.id, { version: entry.version, pinned: true })
  await editor.forget(id, { version: (await read(id)).version })

  const forgotten = await editor.nextUndo()
  expect(forgotten).toMatchObject({ key: expect.stringMatching(/^learned:/), summary: `"forgotten": ${memory.text}` })
  expect(await editor.undo(forgotten?.key ?? "")).toMatchObject({ kind: "done", id })
  expect(await read(id)).toMatchObject({ pinned: true, can: { edit: true } })
  const pin = await editor.nextUndo()
  expect(pin?.summary).toBe("pin, in decisions.md")
  expect(await editor.undo(forgotten?.key ?? "")).toEqual({ kind: "changed" })
  expect(await editor.undo(pin?.key ?? "")).toMatchObject({ kind: "done" })
  expect(await read(entry.id)).toEqual(entry)
  expect(await editor.nextUndo()).toBeUndefined()
})

test("a memory whose proposal was refused is not proposed again, neither as an entry nor as a skill, until it is accepted", async () => {
  const { root, drey, learning } = await open()
  const policy = "[promotion.default]\nmin_opportunities = 0\nmin_use_ratio = 0\nmin_regret_hits = 0\n"
  writeFileSync(join(root, "home", "memory_policy.toml"), policy)
  expect((await learning.evaluate()).graduation.proposed).toHaveLength(1)
  const desk = drey.team.inbox
  const flagsNow = async () => (await learning.find(id))[0]?.flags
  const [waiting] = (await desk.list()).proposals
  expect(waiting).toMatchObject({ from: "learned", id: "learned-0123456789abcdef" })
  const { key = "", version = "" } = waiting ?? {}
  expect(await desk.refuse(key, { version, reason: "Everybody knows" })).toMatchObject({ kind: "done" })
  expect(await flagsNow()).toContain("refused")
  const { audit } = await learning.explain(id)
  expect(audit.at(-1)).toMatchObject({ action: "flag", reason: "the team declined it: Everybody knows" })
  expect((await learning.evaluate()).graduation.proposed).toEqual([])
  expect((await desk.list()).proposals).toEqual([])

  await drey.team.changes.undo()
  expect(await desk.accept(key, { version })).toMatchObject({ kind: "done", id: "learned-0123456789abcdef" })
  expect(await flagsNow()).not.toContain("refused")
})
