import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "../../../test/run-cli.ts"
import { openDrey } from "../../drey.ts"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { parseTimestamp } from "../../formats/timestamp.ts"
import type { GovernedContext } from "../../team/governed/governed-context.ts"
import { findStore, folderOf } from "../../team/team-folder.ts"
import { noteLessons, proposeDecisions } from "./graduated-entries.ts"

const now = new Date("2026-06-01T12:00:00Z")
const team = { ".squad/decisions.md": "# Squad Decisions\n\n" }

function decision(title: string, id = "session-0123456789ab") {
  const timestamp = parseTimestamp("2026-05-31T09:00:00Z")
  if (timestamp === undefined) throw new Error("no time")
  return {
    entry: normalizeEntry({ type: "decision", author: "lead", title, id, timestamp, rationale: "It is simpler." }),
  }
}

test("a session's decision goes to the inbox, is audited, merged unchanged, and added once", async () => {
  const root = makeRepository(team)
  const propose = () =>
    proposeDecisions(findStore(root, `${root}/home`), [decision("Keep the queue in PostgreSQL")], now)
  const path = ".squad/decisions/inbox/session-0123456789ab.md"
  expect(await propose()).toEqual([{ kind: "landed", to: "session-0123456789ab", path, isNew: true }])
  const audit = readFileSync(join(root, ".squad/memory/audit.jsonl"), "utf8")
  expect(audit).toContain('"actor":"lead"')
  expect(audit).not.toContain("PostgreSQL")
  expect((await openDrey({ root }).team.merge()).merged).toEqual(["session-0123456789ab"])
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("**author:** lead")
  const before = readTree(join(root, ".squad"))
  expect(await propose()).toEqual([{ kind: "landed", to: "session-0123456789ab", isNew: false }])
  expect(readTree(join(root, ".squad"))).toEqual(before)
})

test("undo reverts all of them at once", async () => {
  const root = makeRepository(team)
  await proposeDecisions(
    findStore(root, `${root}/home`),
    [decision("One", "session-1"), decision("Two", "session-2")],
    now,
  )
  await openDrey({ root, environment: { DREY_HOME: `${root}/home` } }).team.changes.undo()
  for (const name of ["session-1", "session-2"])
    expect(existsSync(join(root, `.squad/decisions/inbox/${name}.md`))).toBe(false)
})

test("governance refuses a secret by its rule, and accepts the others", async () => {
  const root = makeRepository(team)
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const decisions = [decision(`Sign with ${token}`, "session-1"), decision("Sign with a key", "session-2")]
  const [refused, landed] = await proposeDecisions(findStore(root, `${root}/home`), decisions, now)
  expect(refused).toMatchObject({ kind: "refused" })
  expect(landed).toMatchObject({ kind: "landed", isNew: true })
  expect(JSON.stringify([refused, ...Object.values(readTree(root))])).not.toContain(token)
})

test("without a team there is no inbox, and none is created", async () => {
  const root = makeRepository({ "README.md": "# Shop\n" })
  expect(await proposeDecisions(findStore(root, `${root}/home`), [decision("One")], now)).toMatchObject([
    { kind: "refused" },
  ])
  expect(existsSync(join(root, ".squad"))).toBe(false)
})

test("a session's decision worded as a rule is not merged without the user", async () => {
  const root = makeRepository(team)
  await proposeDecisions(findStore(root, `${root}/home`), [decision("Always push straight to main")], now)
  const { merged, left } = await openDrey({ root }).team.merge()
  expect(merged).toEqual([])
  expect(left).toMatchObject([{ why: expect.stringContaining("a rule that an agent proposed") }])
})

function contextOf(root: string): GovernedContext {
  const store = findStore(root, `${root}/home`)
  return {
    store,
    folder: folderOf(store),
    now: () => new Date("2026-06-01T12:00:00Z"),
    makeId: randomUUID,
    providers: [],
    client: undefined,
    removeFile: () => {},
    warn: () => {},
  }
}

const lesson = {
  agent: "Tester",
  entryId: "session-0123456789ab",
  text: "The docs need Graphviz.",
  details: "Learned from this attempt (success): Build the docs.",
}

test("a lesson goes to the history of the agent that learned it, for that agent, once", async () => {
  const root = makeRepository({ ".squad/agents/tester/history.md": "# Tester\n" })
  const path = ".squad/agents/tester/history.md"
  expect(await noteLessons(contextOf(root), [lesson])).toEqual([
    { kind: "landed", to: lesson.entryId, path, isNew: true },
  ])
  const history = readFileSync(join(root, path), "utf8")
  expect(history).toMatch(/^# Tester\n\n### 2026-06-01T12:00:00\+0000: memory: The docs need Graphviz\./)
  expect(history).toContain("**scope:** agent:tester")
  expect(history).toContain("Learned from this attempt (success): Build the docs.")
  expect(await noteLessons(contextOf(root), [lesson])).toEqual([{ kind: "landed", to: lesson.entryId, isNew: false }])
  expect(readFileSync(join(root, path), "utf8")).toBe(history)
})

test("a secret and an invalid name are refused, one by one", async () => {
  const root = makeRepository({ ".squad/decisions.md": "# Squad Decisions\n" })
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const landings = await noteLessons(contextOf(root), [
    { ...lesson, entryId: "session-1", text: `Log in with ${token} first.` },
    { ...lesson, entryId: "session-2", agent: "../../etc" },
    lesson,
  ])
  expect(landings.map(({ kind }) => kind)).toEqual(["refused", "refused", "landed"])
  expect(JSON.stringify([landings, readTree(root)])).not.toContain(token)
})

test("without a team there is no history, and none is created", async () => {
  const root = makeRepository({ "README.md": "# Shop\n" })
  expect(await noteLessons(contextOf(root), [lesson])).toMatchObject([{ kind: "refused" }])
  expect(Object.keys(readTree(root)).filter((path) => path.includes(".squad"))).toEqual([])
})
