import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "../../test/run-cli.ts"
import { openDrey } from "../drey.ts"
import { builtInPolicy } from "../formats/policy.ts"
import type { Memory } from "../memories/memory.ts"
import { proposeGraduates } from "../memories/review/graduates.ts"
import { testMemory } from "../memories/review/test-memory.ts"
import { listSkills } from "../team/team-files.ts"
import { findStore } from "../team/team-folder.ts"
import { writeGraduates } from "./learned-graduation.ts"
import { openTestLearning } from "./test-learning.ts"

const memory = {
  id: "m-0123456789abcdef",
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

test("a dry run of the evaluation shows what would be proposed to the team, and writes nothing", async () => {
  const { home, root, learning } = openTestLearning()
  const bundle = join(root, "bundle.json")
  writeFileSync(bundle, JSON.stringify({ version: "1.0", exported_at: memory.created_at, memories: [memory] }))
  await learning.importFrom(bundle)
  writeFileSync(
    join(home, ".drey", "memory_policy.toml"),
    "[promotion.default]\nmin_opportunities = 0\nmin_use_ratio = 0\nmin_regret_hits = 0\n",
  )
  const before = await readdir(root, { recursive: true })
  const planned = await learning.evaluate({ dryRun: true })
  expect(planned.decisions).toMatchObject([{ memory: memory.id, result: "promote" }])
  expect(planned.graduation.proposed).toEqual([
    { memory: memory.id, path: ".squad/decisions/inbox/learned-0123456789abcdef.md", isAccepted: false },
  ])
  expect(await readdir(root, { recursive: true })).toEqual(before)
  const { decisions, graduation } = await learning.evaluate()
  expect({ decisions, graduation }).toEqual({ decisions: planned.decisions, graduation: planned.graduation })
})

const now = new Date("2026-06-01T12:00:00Z")

function proven(given: Parameters<typeof testMemory>[1] = {}): Memory {
  return testMemory("m-4f2a91000000000a", {
    status: "active",
    kind: "invariant",
    origin: "verified",
    trust: 2,
    text: "The project keeps its data in PostgreSQL 17",
    metrics: { opportunities: 6, useCount: 6, hits: 5 },
    ...given,
  })
}

function graduate(root: string, memory: Memory, mode: "propose" | "auto" = "propose") {
  const graduates = proposeGraduates([{ memory, evidence: [] }], { ...builtInPolicy, graduate: { mode } }, now)
  return writeGraduates(findStore(root, `${root}/home`), graduates, now)
}

const inbox = ".squad/decisions/inbox/learned-4f2a91000000000a.md"
const team = { ".squad/decisions.md": "# Squad Decisions\n\n" }

test("a proposal waits in the inbox until the user accepts it", async () => {
  const root = makeRepository(team)
  const { proposed, decisions } = await graduate(root, proven())
  expect(proposed).toEqual([{ memory: proven().id, path: inbox, isAccepted: false }])
  expect(decisions).toMatchObject([
    { memory: proven().id, version: 1, result: "graduate", status: "active", flags: ["graduated"] },
  ])
  const { left } = await openDrey({ root }).team.merge()
  expect(left).toEqual([{ path: inbox, why: "it is a learned memory proposed to the team", waits: true }])
  const { merged } = await openDrey({ root }).team.merge({ acceptReview: true })
  expect(merged).toEqual(["learned-4f2a91000000000a"])
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("PostgreSQL 17")
})

test("a memory graduates once, even if a process died before that was recorded", async () => {
  const root = makeRepository(team)
  await graduate(root, proven())
  await openDrey({ root }).team.merge({ acceptReview: true })
  const before = readTree(join(root, ".squad"))
  const again = await graduate(root, proven())
  expect(again.proposed).toEqual([])
  expect(again.decisions).toMatchObject([{ result: "graduate", flags: ["graduated"] }])
  expect(readTree(join(root, ".squad"))).toEqual(before)
})

test("with auto, a trusted memory is in the decisions at once, and undo reverts it", async () => {
  const root = makeRepository(team)
  const { proposed } = await graduate(root, proven(), "auto")
  expect(proposed).toEqual([{ memory: proven().id, path: ".squad/decisions.md", isAccepted: true }])
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("**author:** drey")
  expect(existsSync(join(root, inbox))).toBe(false)
  await openDrey({ root, environment: { ...process.env, DREY_HOME: `${root}/home` } }).team.changes.undo()
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(team[".squad/decisions.md"])
})

test("a guard needs review, whatever the mode", async () => {
  const root = makeRepository(team)
  await graduate(root, proven({ kind: "guard", polarity: -1, trust: 3, text: "Never edit applied migrations" }), "auto")
  const { merged, left } = await openDrey({ root }).team.merge()
  expect(merged).toEqual([])
  expect(left).toEqual([
    { path: expect.stringContaining("learned-"), why: "a rule for everyone needs a review", waits: true },
  ])
})

test("governance refuses forbidden content, and the memory is not tried again", async () => {
  const root = makeRepository(team)
  const secret = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_")
  const { proposed, refused, decisions } = await graduate(root, proven({ text: `The deploy token is ${secret}` }))
  expect(proposed).toEqual([])
  expect(refused).toHaveLength(1)
  expect(decisions).toMatchObject([{ result: "flag", flags: ["withheld"] }])
  expect(JSON.stringify([refused, decisions])).not.toContain(secret)
  for (const [path, text] of Object.entries(readTree(root))) expect(`${path}\n${text}`).not.toContain(secret)
  const flagged = proven({ flags: decisions[0]?.flags ?? [] })
  expect((await graduate(root, flagged)).decisions).toEqual([])
})

test("a transient status is not shared", async () => {
  const root = makeRepository(team)
  const { refused } = await graduate(root, proven({ text: "CI failed on main" }))
  expect(refused).toEqual([{ memory: proven().id, reason: "transient CI/PR status" }])
})

test("a skill is proposed beside the skills, where no agent gets it before the user moves it", async () => {
  const root = makeRepository(team)
  const pattern = proven({
    kind: "pattern",
    flags: ["graduated"],
    trust: 1,
    text: "Run the migrations before the tests",
  })
  const path = ".squad/skills/inbox/run-the-migrations-before-the-tests-4f2a91/SKILL.md"
  const { skills, decisions } = await graduate(root, pattern)
  expect(skills).toEqual([{ memory: pattern.id, path, isAccepted: false }])
  expect(decisions).toMatchObject([{ result: "skill", flags: ["graduated", "skill"] }])
  expect(readFileSync(join(root, path), "utf8")).toContain("source: earned")
  expect(listSkills(root)).toEqual([])
})

test("with auto, a trusted skill is active at once", async () => {
  const root = makeRepository(team)
  const pattern = proven({ kind: "pattern", flags: ["graduated"], text: "Run the migrations before the tests" })
  const { skills } = await graduate(root, pattern, "auto")
  expect(skills).toMatchObject([{ isAccepted: true }])
  expect(listSkills(root).map(({ path }) => path)).toEqual(skills.map(({ path }) => path))
})

test("every proposal and refusal is in the audit, without content", async () => {
  const root = makeRepository(team)
  await graduate(root, proven())
  await graduate(root, proven({ id: "m-b0b0b0000000000b", text: "CI failed on main" }))
  const audit = readFileSync(join(root, ".squad/memory/audit.jsonl"), "utf8")
  expect(audit.match(/"action":"(write|reject)"/g)).toEqual(['"action":"write"', '"action":"reject"'])
  expect(audit).not.toMatch(/PostgreSQL|CI failed/)
})

test("without a team folder nothing happens", async () => {
  const root = makeRepository({ "README.md": "x" })
  expect(await graduate(root, proven())).toEqual({ proposed: [], skills: [], refused: [], decisions: [] })
  expect(readdirSync(root)).not.toContain(".squad")
})
