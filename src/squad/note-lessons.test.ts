import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "../../test/run-cli.ts"
import { findStore, folderOf } from "./find-store.ts"
import type { MemoryContext } from "./memory/memory-context.ts"
import { noteLessons } from "./note-lessons.ts"

function contextOf(root: string): MemoryContext {
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

test("a lesson stands in the history of the agent that learned it, for that agent, once", async () => {
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

test("a secret and a name that is no name are refused, one by one", async () => {
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

test("without a team there is no history, and none is made", async () => {
  const root = makeRepository({ "README.md": "# Shop\n" })
  expect(await noteLessons(contextOf(root), [lesson])).toMatchObject([{ kind: "refused" }])
  expect(Object.keys(readTree(root)).filter((path) => path.includes(".squad"))).toEqual([])
})
