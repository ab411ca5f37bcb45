import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { learnedPath } from "../store/learned-path.ts"
import { teamLedger } from "../store/team-ledger.ts"
import type { TeamMemory } from "../team/api.ts"
import { testTeamMemory } from "../team/client/test-team-memory.ts"
import { openTestLearning } from "./test-learning.ts"

/** A project with one memory of the team in it. */
async function openWithCopy(given: Partial<TeamMemory> = {}) {
  const place = openTestLearning()
  const ledger = teamLedger(learnedPath(join(place.home, ".drey")))
  onTestFinished(() => ledger.close())
  await place.learning.projects()
  const memory = testTeamMemory("billing", { project: place.learning.project.id, ...given })
  await ledger.takeIn({ memories: [memory], removed: [], next: 1, projects: [""] })
  return { ...place, id: memory.id }
}

test("a copy is not judged here, however long ago it ran out", async () => {
  const { learning, id } = await openWithCopy({ tier: "short_term", expires: "2025-01-01T00:00:00.000Z" })
  expect((await learning.evaluate()).decisions).toEqual([])
  expect(await learning.find(id)).toMatchObject([{ status: "active" }])
  expect((await learning.explain(id)).outlook).toEqual(["the team server evaluates it by its use across all members"])
})

test("a copy is not put before the repository's team, nor before a person for review", async () => {
  const { learning } = await openWithCopy({ flags: ["misses", "conflict"] })
  expect((await learning.evaluate()).graduation).toMatchObject({ proposed: [], skills: [] })
  expect((await learning.status()).review).toEqual([])
})

test("a copy is neither forgotten nor pinned here, and it is told who can", async () => {
  const { learning, id } = await openWithCopy()
  await expect(learning.forget([id])).rejects.toMatchObject({ hint: expect.stringContaining("drey team unshare") })
  await expect(learning.forget([id], { purge: true })).rejects.toThrow("it is a team memory")
  await expect(learning.pin(id, true)).rejects.toThrow("it is a team memory")
  expect(await learning.find(id)).toMatchObject([{ status: "active", pinned: false }])
})

test("the editor offers nothing for a copy, and refuses what is tried all the same", async () => {
  const { learning, id } = await openWithCopy()
  const editor = learning.editor()
  const item = await editor.read(id)
  expect(item?.can.edit).toContain("it is a team memory")
  const refused = { kind: "refused", reason: expect.stringContaining("the team's") }
  const version = item?.version ?? ""
  expect(await editor.edit(id, { version, markdown: "Something else entirely." })).toEqual(refused)
  expect(await editor.forget(id, { version })).toEqual(refused)
  expect(await editor.pin(id, { version, pinned: true })).toEqual(refused)
})

test("an export holds no copies", async () => {
  const { home, learning } = await openWithCopy()
  const path = join(home, "export.json")
  expect(await learning.exportTo(path)).toMatchObject({ memories: 0 })
  expect(readFileSync(path, "utf8")).not.toContain("billing")
})
