import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "../../../test/run-cli.ts"
import { openDrey } from "../../drey.ts"
import { readEntries } from "../../formats/entries.ts"

const first = `### 2026-01-10T09:00:00Z: decision: Use one index

**author:** Wren
**type:** decision
**timestamp:** 2026-01-10T09:00:00Z
**Ticket:** DREY-7
**tags:**  search,index

**summary:** One index for everything
**details:**

Two were never in step.

**rationale:** It is simpler.

**related:**
- issue: #12

---
`
const second =
  "### 2026-01-11T09:00:00Z: decision: Ship on Fridays\n\n**author:** rook  \n**summary:** Ship on Fridays\n\n---\n"
const third = "## 2026-01-12: Keep logs short\n\n**By:** Wren\n\nAt most a page.\n"
const decisions = `\uFEFF# Squad Decisions   \n\n<!-- kept by hand -->\n\n${first}\n\n${second}\n\n\n${third}`

const clock = "2026-03-01T10:00:00Z"

function repository(files: Record<string, string> = { ".squad/decisions.md": decisions }) {
  const root = makeRepository(files)
  const environment = { DREY_HOME: join(root, "home"), DREY_USER: "ines" }
  const drey = openDrey({ root, environment, now: () => new Date(clock) })
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const idOf = (title: string, path = ".squad/decisions.md", kind: "decisions" | "history" | "inbox" = "decisions") => {
    const found = readEntries(read(path), { kind, agent: "rook" }).entries.find(({ entry }) => entry.title === title)
    if (!found) throw new Error(`there is no "${title}"`)
    return found.id
  }
  return { root, drey, read, idOf }
}

async function open(files?: Record<string, string>) {
  const place = repository(files)
  const editor = place.drey.team.editor
  const item = async (id: string) => {
    const found = await editor.read(id)
    if (!found) throw new Error(`there is no ${id}`)
    return found
  }
  return { ...place, editor, item }
}

test("an entry is read as the text below its heading and fields, with its location and allowed actions", async () => {
  const { editor, idOf } = await open()
  const id = idOf("Use one index")
  expect(await editor.read(id)).toEqual({
    id,
    version: expect.stringMatching(/^[0-9a-f]{16}$/),
    title: "Use one index",
    markdown: "One index for everything\n\nTwo were never in step.\n\n**rationale:** It is simpler.",
    tags: ["search", "index"],
    pinned: false,
    can: { edit: true, supersede: true, pin: true, forget: true },
    path: ".squad/decisions.md",
    line: 5,
  })
  expect(await editor.read("sem-nothing")).toBeUndefined()
})

test.each(["\n", "\r\n"])(
  "an edit writes only the lines that it changes, and the entry keeps its id (line end %j)",
  async (end) => {
    const before = decisions.replaceAll("\n", end)
    const { editor, idOf, item, read, drey } = await open({ ".squad/decisions.md": before })
    const id = idOf("Use one index")
    const { version } = await item(id)
    const markdown = "One index\n\nTwo were never in step.\n\n- words\n- vectors\n\n**rationale:** It is simpler."
    const outcome = await editor.edit(id, { version, title: "Use a single index", markdown })
    expect(outcome).toMatchObject({ kind: "done", id, summary: "Edited “Use a single index”" })
    const expected = first
      .replace(": Use one index", ": Use a single index")
      .replace("search,index\n", `search,index\n**id:** ${id}  \n`)
      .replace("One index for everything\n**details", "One index\n\n**details")
      .replace("in step.\n", "in step.\n\n- words\n- vectors\n")
    expect(read(".squad/decisions.md")).toBe(decisions.replace(first, expected).replaceAll("\n", end))
    expect(await item(id)).toMatchObject({ title: "Use a single index", markdown })
    const audit = (await drey.governed.audit()).at(-1)
    expect(audit).toMatchObject({
      action: "write",
      id,
      actor: "ines",
      path: ".squad/decisions.md",
      reason: "Edited by a person",
    })

    const offer = await editor.nextUndo()
    expect(offer).toMatchObject({ key: outcome.kind === "done" && outcome.change, at: "2026-03-01T10:00:00.000Z" })
    expect(await editor.undo(offer?.key ?? "")).toMatchObject({ kind: "done" })
    expect(read(".squad/decisions.md")).toBe(before)
    expect(await editor.nextUndo()).toBeUndefined()
  },
)

test("omitted fields are unchanged: new tags touch one line", async () => {
  const { editor, idOf, item, read } = await open()
  const id = idOf("Use one index")
  await editor.edit(id, { version: (await item(id)).version, tags: ["search", "core"] })
  expect(read(".squad/decisions.md")).toBe(decisions.replace("**tags:**  search,index", "**tags:** search, core  "))
})

test("an entry in an older format is rewritten in the current one, in its place and under its id", async () => {
  const { editor, idOf, item, read } = await open()
  const id = idOf("Keep logs short")
  const { version, markdown } = await item(id)
  expect(markdown).toBe("At most a page.")
  expect(await editor.edit(id, { version, title: "Keep logs to a page" })).toMatchObject({ kind: "done", id })
  const after = read(".squad/decisions.md")
  expect(after.startsWith(decisions.slice(0, decisions.indexOf(third)))).toBe(true)
  expect(after).toContain("decision: Keep logs to a page\n")
  expect(await item(id)).toMatchObject({ title: "Keep logs to a page", markdown: "At most a page." })
})

test("the second of two users who change an entry gets a conflict, and nothing is lost", async () => {
  const { editor, idOf, item, read, root } = await open()
  const other = openDrey({ root, environment: { DREY_HOME: join(root, "home"), DREY_USER: "mona" } }).team.editor
  const id = idOf("Ship on Fridays")
  const { version } = await item(id)
  const outcomes = await Promise.all([
    editor.edit(id, { version, title: "Ship on Mondays" }),
    other.edit(id, { version, title: "Ship on Tuesdays" }),
  ])
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["changed", "done"])
  const winner = outcomes[0]?.kind === "done" ? "Mondays" : "Tuesdays"
  expect(read(".squad/decisions.md").match(/Ship on \w+days/g)).toEqual([`Ship on ${winner}`, `Ship on ${winner}`])
  for (const change of [
    editor.supersede(id, { version, title: "No", markdown: "" }),
    editor.pin(id, { version, pinned: true }),
    editor.forget(id, { version }),
  ])
    expect(await change).toEqual({ kind: "changed" })
})

test("a secret is refused with the rule named, in every field, and is nowhere on disk", async () => {
  const { editor, idOf, item, root, drey } = await open()
  const id = idOf("Use one index")
  const { version } = await item(id)
  const secret = ["pass", "word=hunter2-Tr0ub4dor"].join("")
  const changes = [
    editor.edit(id, { version, title: secret }),
    editor.edit(id, { version, markdown: `So:\n\n${secret}` }),
    editor.edit(id, { version, tags: [secret] }),
    editor.supersede(id, { version, title: "Other", markdown: secret }),
    editor.supersede(id, { version, title: "Other", markdown: "", reason: secret }),
    editor.forget(id, { version, reason: secret }),
  ]
  for (const change of changes) {
    const outcome = await change
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("credential-like assignment (") })
  }
  expect(JSON.stringify(readTree(root))).not.toContain("Tr0ub4dor")
  expect((await drey.governed.audit()).filter(({ action }) => action === "reject")).toHaveLength(changes.length)
  expect((await item(id)).version).toBe(version)
})

test("a replacement has the current date and the user as author, and the old entry links to it; one undo reverts both", async () => {
  const { editor, idOf, item, read } = await open()
  const id = idOf("Ship on Fridays")
  const { version } = await item(id)
  const words = { title: "Ship any day", markdown: "Every green build goes out.", reason: "Fridays were slow" }
  const outcome = await editor.supersede(id, { version, ...words })
  expect(outcome).toMatchObject({ kind: "done", summary: "Replaced by “Ship any day”" })
  const successor = readEntries(read(".squad/decisions.md"), { kind: "decisions" }).entries.at(-1)
  expect(successor?.entry).toMatchObject({
    timestamp: "2026-03-01T10:00:00+00:00",
    author: "ines",
    summary: "Every green build goes out.",
    rationale: "Fridays were slow",
    supersedes: [id],
  })
  expect(outcome.kind === "done" && outcome.id).toBe(successor?.id)
  expect((await item(id)).can.supersede).toBe(`it was replaced by ${successor?.id}`)
  expect(read(".squad/decisions.md")).toContain("**supersededBy:** 2026-03-01T10:00:00")
  await editor.undo((await editor.nextUndo())?.key ?? "")
  expect(read(".squad/decisions.md")).toBe(decisions)
})

test("the replacement of an agent's lesson is in the same history", async () => {
  const history = `# Rook\n\n### 2026-01-05T08:00:00Z: memory: Run the linter\n\n**author:** rook\n**summary:** Run the linter\n\n---\n`
  const path = ".squad/agents/rook/history.md"
  const { editor, idOf, item, read } = await open({ [path]: history })
  const id = idOf("Run the linter", path, "history")
  const outcome = await editor.supersede(id, {
    version: (await item(id)).version,
    title: "Run the formatter",
    markdown: "",
  })
  expect(outcome).toMatchObject({ kind: "done" })
  const { entries } = readEntries(read(path), { kind: "history", agent: "rook" })
  expect(entries.map(({ entry }) => [entry.title, entry.scope])).toEqual([
    ["Run the linter", "agent:rook"],
    ["Run the formatter", "agent:rook"],
  ])
  expect(entries[0]?.entry.supersededBy).toEqual([entries[1]?.id])
})

test("a pin is the tag that keeps an entry out of the archive", async () => {
  const { editor, idOf, item, read } = await open()
  const id = idOf("Ship on Fridays")
  await editor.pin(id, { version: (await item(id)).version, pinned: true })
  expect(read(".squad/decisions.md")).toBe(
    decisions.replace("**author:** rook  \n", "**author:** rook  \n**tags:** permanent  \n"),
  )
  const pinned = await item(id)
  expect(pinned.pinned).toBe(true)
  expect(await editor.pin(id, { version: pinned.version, pinned: true })).toMatchObject({ kind: "done", change: null })
  await editor.pin(id, { version: pinned.version, pinned: false })
  expect(read(".squad/decisions.md")).toBe(decisions)
})

test("a forgotten entry is removed only from its file, and undo restores it", async () => {
  const { editor, idOf, item, read, drey } = await open()
  const id = idOf("Ship on Fridays")
  const outcome = await editor.forget(id, { version: (await item(id)).version, reason: "Nobody does" })
  expect(outcome).toMatchObject({ kind: "done", id: null })
  expect(read(".squad/decisions.md")).toBe(decisions.replace(second, ""))
  const audit = (await drey.governed.audit()).at(-1)
  expect(audit).toMatchObject({ action: "delete", id, reason: "Forgotten by a person: Nobody does" })
  expect((await drey.team.changes.undo())[0]).toMatchObject({ command: "forget" })
  expect(read(".squad/decisions.md")).toBe(decisions)
})

test("an inbox file without other entries is removed with its entry", async () => {
  const path = ".squad/decisions/inbox/rook.md"
  const { editor, idOf, item, root } = await open({ ".squad/decisions.md": first, [path]: second })
  const id = idOf("Ship on Fridays", path, "inbox")
  await editor.forget(id, { version: (await item(id)).version })
  expect(Object.keys(readTree(root)).filter((each) => each.includes("inbox/"))).toEqual([])
})

test("undo leaves changed files unchanged, and an outdated key is a conflict", async () => {
  const { editor, idOf, item, read, root } = await open()
  const id = idOf("Ship on Fridays")
  const one = await editor.pin(id, { version: (await item(id)).version, pinned: true })
  const two = await editor.edit(id, { version: (await item(id)).version, markdown: "Only then." })
  if (one.kind !== "done" || two.kind !== "done") throw new Error("both are done")
  expect(await editor.undo(one.change ?? "")).toEqual({ kind: "changed" })
  writeFileSync(join(root, ".squad/decisions.md"), `${read(".squad/decisions.md")}\nBy hand.\n`)
  expect(await editor.undo(two.change ?? "")).toMatchObject({
    kind: "refused",
    reason: expect.stringContaining("was changed after"),
  })
  expect(read(".squad/decisions.md")).toContain("Only then.")
})

test("archives, an older folder beside the new one, conflicts and undated entries are not changed, each with the reason", async () => {
  const { editor } = await open({
    ".squad/decisions.md": "## Loose thought\n\n**By:** Wren\n\nNo date here.\n",
    ".squad/decisions-archive.md": second,
    ".ai-team/decisions.md": first,
    ".squad/agents/rook/history.md": `${second.replaceAll("Fridays", "Sundays")}\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n`,
  })
  const reasons = async (id: string) => (await editor.read(id))?.can
  const ids = readEntries(`${first}\n${second}\n${second.replaceAll("Fridays", "Sundays")}`, {
    kind: "decisions",
  }).entries.map(({ id }) => id)
  expect(await reasons(ids[0] ?? "")).toMatchObject({ edit: ".ai-team is read-only, because .squad exists" })
  expect(await reasons(ids[1] ?? "")).toMatchObject({ forget: "archived entries cannot be changed" })
  expect(await reasons(ids[2] ?? "")).toMatchObject({
    pin: expect.stringContaining("an unresolved merge conflict"),
  })
})

async function openMemory() {
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

test("an edit of a governed memory changes its file and its record, and keeps its other front matter", async () => {
  const { editor, memory, drey, id, path, item, shown } = await openMemory()
  const before = readFileSync(path, "utf8")
  const read = await item()
  expect(read).toMatchObject({
    title: "Cache times",
    markdown: "The cache is cleared at noon.\n\nAnd at midnight.",
    path: shown,
    line: 1,
  })
  const outcome = await editor.edit(id, { version: read.version, title: "Cache hours", markdown: "At noon only." })
  expect(outcome).toMatchObject({ kind: "done", id })
  const words = before.slice(before.indexOf("**summary:**"), before.lastIndexOf("---"))
  expect(readFileSync(path, "utf8")).toBe(
    before.replaceAll("Cache times", "Cache hours").replace(words, "**summary:** At noon only.\r\n\r\n"),
  )
  expect((await memory.audit()).at(-1)).toMatchObject({ action: "write", id, actor: "ines", title: "Cache hours" })
  expect(await memory.read(id)).toMatchObject({ title: "Cache hours", content: "At noon only.", status: "active" })
  expect(await editor.edit(id, { version: read.version, title: "Third" })).toEqual({ kind: "changed" })
  await drey.team.changes.undo()
  expect(readFileSync(path, "utf8")).toBe(before)
  expect(await memory.list()).toMatchObject([{ title: "Cache times" }])
})

test("a pinned memory is always loaded, until it is unpinned", async () => {
  const { editor, memory, id, item } = await openMemory()
  await editor.pin(id, { version: (await item()).version, pinned: true })
  expect(await item()).toMatchObject({ pinned: true })
  expect(await memory.list()).toMatchObject([{ loadGuidance: "ALWAYS" }])
  await editor.pin(id, { version: (await item()).version, pinned: false })
  expect(await memory.list()).toMatchObject([{ loadGuidance: "ON-DEMAND" }])
})

test("the replacement of a governed memory has the same class, with links both ways, in one change", async () => {
  const { editor, memory, drey, id, item } = await openMemory()
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

test("a governed memory is forgotten with a tombstone, and undo restores it", async () => {
  const { editor, memory, id, item } = await openMemory()
  const outcome = await editor.forget(id, { version: (await item()).version })
  expect(outcome).toMatchObject({ kind: "done", id: null })
  expect(await memory.list()).toEqual([])
  expect(await editor.read(id)).toBeUndefined()
  expect(await editor.undo((outcome.kind === "done" && outcome.change) || "")).toMatchObject({ kind: "done" })
  expect(await memory.list()).toMatchObject([{ id }])
})

test("an entry that is in governed memory is changed in its file and in the index", async () => {
  const { editor, memory, drey } = await openMemory()
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
