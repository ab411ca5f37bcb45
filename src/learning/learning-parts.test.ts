import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import type { BundledMemory } from "../memories/learned-bundle.ts"
import { learnedPath } from "../memories/ledger.ts"
import type { TeamMemory } from "../server/api.ts"
import { teamLedger } from "../server/client/team-ledger.ts"
import { testTeamMemory } from "../server/client/test-team-memory.ts"
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

test("a copy is not evaluated here, however long ago it expired", async () => {
  const { learning, id } = await openWithCopy({ tier: "short_term", expires: "2025-01-01T00:00:00.000Z" })
  expect((await learning.evaluate()).decisions).toEqual([])
  expect(await learning.find(id)).toMatchObject([{ status: "active" }])
  expect((await learning.explain(id)).outlook).toEqual(["the team server evaluates it by its use across all members"])
})

test("a copy is neither proposed to the repository's team nor listed for review", async () => {
  const { learning } = await openWithCopy({ flags: ["misses", "conflict"] })
  expect((await learning.evaluate()).graduation).toMatchObject({ proposed: [], skills: [] })
  expect((await learning.status()).review).toEqual([])
})

test("a copy is neither forgotten nor pinned here, and the message says who can", async () => {
  const { learning, id } = await openWithCopy()
  await expect(learning.forget([id])).rejects.toMatchObject({ hint: expect.stringContaining("drey team unshare") })
  await expect(learning.forget([id], { purge: true })).rejects.toThrow("it is a team memory")
  await expect(learning.pin(id, true)).rejects.toThrow("it is a team memory")
  expect(await learning.find(id)).toMatchObject([{ status: "active", pinned: false }])
})

test("the editor offers nothing for a copy, and refuses attempts", async () => {
  const { learning, id } = await openWithCopy()
  const editor = await learning.editor()
  const item = await editor.read(id)
  expect(item?.can.edit).toContain("it is a team memory")
  const refused = { kind: "refused", reason: expect.stringContaining("the team's") }
  const version = item?.version ?? ""
  expect(await editor.edit(id, { version, markdown: "Something else entirely." })).toEqual(refused)
  expect(await editor.forget(id, { version })).toEqual(refused)
  expect(await editor.pin(id, { version, pinned: true })).toEqual(refused)
})

test("an export contains no copies", async () => {
  const { home, learning } = await openWithCopy()
  const path = join(home, "export.json")
  expect(await learning.exportTo(path)).toMatchObject({ memories: 0 })
  expect(readFileSync(path, "utf8")).not.toContain("billing")
})

const brokenPolicy = "[promotion\n"

function breakPolicy(root: string): void {
  mkdirSync(join(root, ".squad", "memory"), { recursive: true })
  writeFileSync(join(root, ".squad", "memory", "memory_policy.toml"), brokenPolicy)
}

/** A session in which a rule is stated, an hour before now. */
function work(home: string, cwd: string, session: string): void {
  const it = claudeSession(home, { cwd, session, start: "2026-03-02T07:00:00Z" })
  it.user("add the invoice total to the checkout page")
  it.run("npm install currency", "added 1 package")
  it.edit("src/checkout.ts")
  it.user("no, we always use pnpm in this repository, never npm")
  it.run("pnpm add currency", "done")
}

test("a project with a broken policy is reported, and the others are learned from", async () => {
  const shop = openTestLearning()
  const bank = openTestLearning({ home: shop.home, name: "bank" })
  await bank.learning.projects() // makes itself known
  breakPolicy(bank.root)
  work(shop.home, shop.root, "one")
  work(shop.home, bank.root, "two")
  const { learned, troubled } = await shop.learning.ingest({ allProjects: true })
  expect(troubled.map(({ project, error }) => [project.root, error.message])).toEqual([
    [bank.root, expect.stringContaining("memory_policy.toml:1 is not TOML")],
  ])
  expect(learned.episodes).toBe(1)
  await expect(bank.learning.ingest()).rejects.toThrow("is not TOML")
})

test("transcripts read while a policy is broken are not lost: they are learned from when it is fixed", async () => {
  const { home, root, learning } = openTestLearning()
  breakPolicy(root)
  work(home, root, "one")
  await expect(learning.ingest({ allProjects: true })).rejects.toThrow("is not TOML")
  writeFileSync(join(root, ".squad", "memory", "memory_policy.toml"), "")
  expect((await learning.ingest()).learned.episodes).toBe(1)
})

test("a repository's policy applies to its own memories, never to global ones", async () => {
  const { home, root, learning } = openTestLearning()
  const bundle = {
    version: "1.0",
    exported_at: "2026-02-01T00:00:00Z",
    memories: [memory("a", "project"), memory("b", "global")],
  }
  const file = join(root, "bundle.json")
  writeFileSync(file, JSON.stringify(bundle))
  await learning.importFrom(file)
  mkdirSync(join(root, ".squad", "memory"))
  const rule = (opportunities: number) =>
    `[promotion.default]\nmin_opportunities = ${opportunities}\nmin_use_ratio = 0\nmin_regret_hits = 0\n`
  writeFileSync(join(home, ".drey", "memory_policy.toml"), rule(0))
  writeFileSync(join(root, ".squad", "memory", "memory_policy.toml"), rule(7))
  const { decisions } = await learning.evaluate()
  expect(decisions.map(({ memory, result }) => [memory, result])).toEqual([[memory("b", "global").id, "promote"]])
})

function memory(digit: string, scope: "project" | "global"): BundledMemory {
  return {
    id: `m-${digit.repeat(16)}`,
    project_id: null,
    scope,
    path_prefix: null,
    owner_type: "user",
    owner_id: "ines",
    kind: "pattern",
    tier: "short_term",
    polarity: 1,
    key: null,
    text: `Run the ${digit} migrations before the tests`,
    status: "active",
    confidence: 0.9,
    expires_at: null,
    created_at: "2026-02-01T00:00:00.000Z",
    updated_at: "2026-02-01T00:00:00.000Z",
  }
}
