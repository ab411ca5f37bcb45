import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { semEntry } from "../../../test/legacy-fixtures.ts"
import { makeRepository, readTree } from "../../../test/run-cli.ts"
import { openDrey } from "../../drey.ts"
import { readEntries } from "../../formats/entries.ts"

const text = "Every page is built by the worker and kept for an hour, whoever asks for it first"
const tabs = semEntry("2026-01-10T09:00:00+0000", "decision", "Use tabs")
const pages = semEntry("2026-01-11T09:00:00+0000", "decision", "Keep pages", { details: text })
const decisions = `# Squad Decisions\n\n${tabs}\n${pages}`
const spaces = semEntry("2026-02-01T09:00:00+0000", "decision", "Use spaces", {
  author: "rook",
  fields: ["**supersedes:** 2026-01-10T09:00:00+0000", "**scope:** agent:wren"],
})
const alike = semEntry("2026-02-02T09:00:00+0000", "decision", "Keep pages", {
  author: "Mona",
  details: `${text}, always`,
})
const note = semEntry("2026-02-03T09:00:00+0000", "note", "Lunch is at noon", { author: "rook" })

const inbox = ".squad/decisions/inbox"
const files = {
  ".squad/decisions.md": decisions,
  ".squad/agents/rook/history.md": "# Rook\n",
  ".squad/agents/wren/history.md": "# Wren\n",
  [`${inbox}/rook-spaces.md`]: spaces,
  [`${inbox}/two.md`]: `${alike}\n${note}`,
}

async function open(given: Record<string, string> = files) {
  const root = makeRepository(given)
  const environment = { DREY_HOME: join(root, "home"), DREY_USER: "ines" }
  const drey = openDrey({ root, environment, now: () => new Date("2026-03-01T10:00:00Z") })
  const desk = drey.team.inbox
  const proposal = async (key: string) => {
    const found = (await desk.list()).proposals.find((each) => each.key === `${inbox}/${key}`)
    if (!found) throw new Error(`${key} does not wait`)
    return found
  }
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const team = () => {
    const paths = Object.keys(readTree(root)).filter((path) => /^\.squad\/(?:decisions|agents).*\.md$/.test(path))
    return Object.fromEntries(paths.map((path) => [path, read(path)]))
  }
  return { root, drey, desk, proposal, read, team }
}

test("proposals are listed with their proposer, and beside the entries they would replace or repeat", async () => {
  const { desk } = await open()
  const { proposals, broken, nearDuplicates } = await desk.list()
  const shown = proposals.map(({ key, from, entry, against }) => [
    key.slice(inbox.length + 1),
    from,
    entry.title,
    against.map((each) => [each.relation, each.entry.entry.title]),
  ])
  expect(shown).toEqual([
    ["rook-spaces.md", "agent", "Use spaces", [["supersedes", "Use tabs"]]],
    ["two.md", "person", "Keep pages", [["near-duplicate", "Keep pages"]]],
    ["two.md#2", "agent", "Lunch is at noon", []],
  ])
  expect(proposals[1]?.against[0]?.likeness).toBeGreaterThan(0.85)
  expect(broken).toEqual([])
  expect(nearDuplicates).toEqual([])
  expect(await desk.list()).toBe(await desk.list()) // nothing is read again while nothing changes
})

test.each([
  ["rook-spaces.md", files],
  ["two.md", files],
  ["two.md#2", files],
  ["copy.md", { ...files, [`${inbox}/copy.md`]: tabs.replaceAll("Wren", "Mona") }],
  ["first.md", { ".squad/team.md": "# Team\n", [`${inbox}/first.md`]: tabs }],
  ["first.md", { ".squad/decisions.md": "# D\n\nNo decisions recorded yet.\n", [`${inbox}/first.md`]: tabs }],
  [
    "sections.md",
    {
      ".squad/decisions.md": `# D\n\n## Active Decisions\n\n${tabs}\n## Governance\n\nBe kind.\n`,
      [`${inbox}/sections.md`]: spaces,
    },
  ],
])("the preview of accepting %s matches its effect", async (key, given) => {
  const { desk, proposal, team } = await open(given)
  const before = team()
  const { version, diff } = await proposal(key)
  expect(await desk.accept(`${inbox}/${key}`, { version })).toMatchObject({ kind: "done" })
  const after = team()
  const changed = (lines: string[]) => lines.filter((line) => /^[+-]/.test(line) && line.length > 1).sort()
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  const expected = [...paths].map(
    (path) => [path, linesOfDifference(before[path] ?? "", after[path] ?? "").sort()] as const,
  )
  const shown = diff.map(({ path, lines }) => [path, changed(lines)] as const)
  expect(new Map(shown)).toEqual(new Map(expected.filter(([, lines]) => lines.length > 0)))
})

test("an accepted proposal is merged like by drey merge, records who accepted it, and undo restores it", async () => {
  const { drey, desk, proposal, read, team } = await open()
  const before = team()
  const { version, id } = await proposal("rook-spaces.md")
  const outcome = await desk.accept(`${inbox}/rook-spaces.md`, { version })
  expect(outcome).toMatchObject({ kind: "done", id, summary: "Accepted “Use spaces”" })
  const accepted = team()
  expect((await drey.governed.audit()).at(-1)).toMatchObject({
    action: "write",
    id,
    reason: "Merged from the inbox; accepted by ines",
  })
  await drey.team.changes.undo()
  expect(team()).toEqual(before)
  await drey.team.merge({ only: ["decisions/inbox/rook-spaces.md"] })
  expect(team()).toEqual(accepted)
  expect(read(".squad/decisions.md")).toContain("**supersededBy:** 2026-02-01T09:00:00+0000")
})

test("a proposal is accepted with a changed text under the same id, and other proposals in its file stay", async () => {
  const { desk, proposal, read } = await open()
  const { version, id } = await proposal("two.md#2")
  const words = { title: "Lunch is at one", markdown: "So that everybody can come." }
  expect(await desk.accept(`${inbox}/two.md#2`, { version, ...words })).toMatchObject({ kind: "done", id })
  const merged = readEntries(read(".squad/decisions.md"), { kind: "decisions" }).entries.find((each) => each.id === id)
  expect(merged?.entry).toMatchObject({
    title: "Lunch is at one",
    summary: "So that everybody can come.",
    author: "rook",
  })
  expect(read(`${inbox}/two.md`)).toBe(`${alike}\n`)
})

test("a proposal marked for review can be accepted by the user", async () => {
  const marked = semEntry("2026-02-05T09:00:00+0000", "decision", "Ask first", { fields: ["**review:** needs a word"] })
  const { desk, proposal, read } = await open({ ...files, [`${inbox}/marked.md`]: marked })
  const { version } = await proposal("marked.md")
  expect(await desk.accept(`${inbox}/marked.md`, { version })).toMatchObject({ kind: "done" })
  expect(read(".squad/decisions.md")).toContain("decision: Ask first")
  expect(read(".squad/decisions.md")).not.toContain("review:")
})

test("the text of a proposal is appended to an active entry, which then has both authors", async () => {
  const { desk, proposal, read, drey, team } = await open()
  const before = team()
  const { version, against } = await proposal("two.md")
  const into = against[0]?.entry.id ?? ""
  const outcome = await desk.mergeInto(`${inbox}/two.md`, { version, into, how: "append" })
  expect(outcome).toMatchObject({ kind: "done", id: into, summary: "Added “Keep pages” to “Keep pages”" })
  const grown = readEntries(read(".squad/decisions.md"), { kind: "decisions" }).entries.find((each) => each.id === into)
  expect(grown?.entry).toMatchObject({ author: "Wren", contributors: ["Mona"] })
  expect(grown?.entry.details).toBe(
    `${text}\n\n#### Keep pages — Mona\n\nKeep pages in short.\n\n${text}, always\n\n**rationale:** It was measured.`,
  )
  expect(read(".squad/decisions.md").startsWith(decisions.slice(0, decisions.indexOf(pages)))).toBe(true)
  expect(read(`${inbox}/two.md`)).toBe(note)
  await drey.team.changes.undo()
  expect(team()).toEqual(before)
})

test("a proposal replaces an active entry that it does not name itself", async () => {
  const { desk, proposal, read } = await open()
  const { version, against, id } = await proposal("two.md")
  const into = against[0]?.entry.id ?? ""
  expect(await desk.mergeInto(`${inbox}/two.md`, { version, into, how: "supersede" })).toMatchObject({
    kind: "done",
    id,
  })
  const { entries } = readEntries(read(".squad/decisions.md"), { kind: "decisions" })
  expect(entries.find((each) => each.id === id)?.entry.supersedes).toEqual([into])
  expect(entries.find((each) => each.id === into)?.entry.supersededBy).toEqual(["2026-02-02T09:00:00+0000"])
  const next = await proposal("two.md")
  const again = await desk.mergeInto(`${inbox}/two.md`, { version: next.version, into, how: "supersede" })
  expect(again).toEqual({ kind: "refused", reason: `it was replaced by ${id}` })
})

test("a refused proposal is kept aside with the recorded reason, and undo restores it", async () => {
  const { desk, proposal, read, drey, root, team } = await open()
  const before = team()
  const { version, id } = await proposal("rook-spaces.md")
  expect(await desk.refuse(`${inbox}/rook-spaces.md`, { version, reason: " " })).toMatchObject({ kind: "refused" })
  const outcome = await desk.refuse(`${inbox}/rook-spaces.md`, { version, reason: "We like tabs" })
  expect(outcome).toMatchObject({ kind: "done", id: null, summary: "Refused “Use spaces”" })
  expect(read(`${inbox}/.refused/rook-spaces.md`)).toBe(spaces)
  expect(existsSync(join(root, inbox, "rook-spaces.md"))).toBe(false)
  expect(read(".squad/decisions.md")).toBe(decisions)
  expect((await drey.governed.audit()).at(-1)).toMatchObject({
    action: "reject",
    id,
    actor: "ines",
    reason: "Refused by a person: We like tabs",
  })
  expect((await desk.list()).proposals).toHaveLength(2)
  await drey.team.changes.undo()
  expect(team()).toEqual(before)
})

test("a refused governed decision is no longer a memory", async () => {
  const { desk, drey } = await open({ ".squad/decisions.md": decisions })
  const memory = drey.governed
  const written = await memory.write({ content: "Use one queue for all jobs", title: "One queue", class: "DECISION" })
  const [waiting] = (await desk.list()).proposals
  if (!written.stored || !waiting) throw new Error("it waits")
  expect(waiting).toMatchObject({ id: written.id, path: written.path })
  await desk.refuse(waiting.key, { version: waiting.version, reason: "One is not enough" })
  expect(await memory.list()).toEqual([])
  await drey.team.changes.undo()
  expect(await memory.list()).toMatchObject([{ id: written.id, status: "active" }])
})

test("the second of two changes gets a conflict, and a key outside the inbox finds nothing", async () => {
  const { desk, proposal, root, read } = await open()
  const { version } = await proposal("rook-spaces.md")
  writeFileSync(join(root, inbox, "rook-spaces.md"), spaces.replace("at length", "at some length"))
  const key = `${inbox}/rook-spaces.md`
  expect(await desk.accept(key, { version })).toEqual({ kind: "changed" })
  expect(await desk.refuse(key, { version, reason: "No" })).toEqual({ kind: "changed" })
  expect(await desk.mergeInto(key, { version, into: "sem-x", how: "append" })).toEqual({ kind: "changed" })
  for (const other of [".squad/decisions.md", `${inbox}/../../decisions.md`, `${inbox}/../../../x.md`, "x"])
    expect(await desk.accept(other, { version })).toEqual({ kind: "changed" })
  expect(read(".squad/decisions.md")).toBe(decisions)
})

test("a secret in a proposal or in its new text is refused and stored nowhere", async () => {
  const secret = ["pass", "word=hunter2-Tr0ub4dor"].join("")
  const { desk, proposal, root } = await open({ ...files, [`${inbox}/leak.md`]: note.replace("at length", secret) })
  const { version } = await proposal("rook-spaces.md")
  const key = `${inbox}/rook-spaces.md`
  for (const outcome of [
    await desk.accept(key, { version, markdown: secret }),
    await desk.refuse(key, { version, reason: secret }),
  ])
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("credential-like assignment") })
  const { broken, proposals } = await desk.list()
  expect(broken).toMatchObject([
    { path: `${inbox}/leak.md`, problem: expect.stringContaining("credential-like assignment") },
  ])
  expect(broken[0]?.diagnostics[0]).toMatchObject({ code: "forbidden-content", line: 11 })
  expect(JSON.stringify([broken, proposals])).not.toContain("Tr0ub4dor")
  const holding = Object.entries(readTree(root)).filter(([, held]) => held.includes("Tr0ub4dor"))
  expect(holding.map(([path]) => path)).toEqual([`${inbox}/leak.md`])
})

test("unreadable files are reported with their invalid lines", async () => {
  const conflict = `${note}\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n`
  const { desk } = await open({ ...files, [`${inbox}/conflict.md`]: conflict, ".squad/decisions-2.md": conflict })
  const { broken } = await desk.list()
  expect(broken.map(({ path, problem }) => [path, problem])).toEqual([
    [`${inbox}/conflict.md`, "line 17 has an unresolved merge conflict"],
    [".squad/decisions-2.md", "line 17 has an unresolved merge conflict"],
  ])
  for (const { diagnostics } of broken) expect(diagnostics).toMatchObject([{ line: 17, code: "conflict-marker" }])
})

test("two active entries that are nearly the same are a pair", async () => {
  const { desk } = await open({ ".squad/decisions.md": `${decisions}\n${alike}` })
  const { nearDuplicates } = await desk.list()
  expect(nearDuplicates.map(({ one, other }) => [one.entry.author, other.entry.author])).toEqual([["Wren", "Mona"]])
})

/** The lines that one text has more often than the other. */
function linesOfDifference(before: string, after: string): string[] {
  const [old, young] = [before, after].map((text) => text.split("\n").filter(Boolean)) as [string[], string[]]
  const missing = (from: string[], lines: string[]) => {
    const left = [...from]
    return lines.filter((line) => left.indexOf(line) === -1 || left.splice(left.indexOf(line), 1).length === 0)
  }
  return [...missing(young, old).map((line) => `-${line}`), ...missing(old, young).map((line) => `+${line}`)]
}
