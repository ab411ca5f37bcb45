import { writeFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
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
