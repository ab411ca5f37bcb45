import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { DreyError } from "../../errors.ts"
import { builtInPolicy } from "../../formats/policy.ts"
import { readPolicy } from "./policy-file.ts"

function places(files: { user?: string; project?: string }) {
  const root = makeRepository({})
  const [home, storeFolder] = [join(root, "home"), join(root, ".squad")]
  mkdirSync(home)
  mkdirSync(join(storeFolder, "memory"), { recursive: true })
  const [user, project] = [join(home, "memory_policy.toml"), join(storeFolder, "memory", "memory_policy.toml")]
  if (files.user !== undefined) writeFileSync(user, files.user)
  if (files.project !== undefined) writeFileSync(project, files.project)
  return { home, storeFolder, user, project }
}

test("one file name everywhere: built in, then the user's, then the project's, key by key", () => {
  const at = places({
    user: "[retrieval]\nbudget_tokens = 600\ntop_k = 5\n",
    project: "[retrieval]\nbudget_tokens = 300\n",
  })
  const { policy, files, warnings } = readPolicy(at)
  expect(policy.retrieval).toEqual({ ...builtInPolicy.retrieval, budget_tokens: 300, top_k: 5 })
  expect(files).toEqual([at.user, at.project])
  expect(warnings).toEqual([])
})

test("without any file the built-in policy applies", () => {
  const inForce = { policy: builtInPolicy, userPolicy: builtInPolicy }
  expect(readPolicy(places({}))).toEqual({ ...inForce, files: [], warnings: [] })
  expect(readPolicy({ ...places({ project: "[writer]\nprefilter = false\n" }), storeFolder: undefined }).files).toEqual(
    [],
  )
})

test("a project's file is limited, and the user's own policy is separate", () => {
  const at = places({
    user: "[writer]\nmax_attempts = 9\n[promotion.guard]\nmin_opportunities = 12\n",
    project: "[writer]\nmax_attempts = 1\n[promotion.guard]\nmin_opportunities = 20\nmin_regret_hits = 0\n",
  })
  const { policy, userPolicy, warnings } = readPolicy(at)
  expect(policy.writer.max_attempts).toBe(9)
  expect(policy.promotion.guard).toMatchObject({ min_opportunities: 20, min_regret_hits: 3 })
  expect(userPolicy.promotion.guard?.min_opportunities).toBe(12)
  expect(warnings).toEqual([
    expect.stringContaining(`${at.project}:2 writer.max_attempts is allowed only`),
    expect.stringContaining(`${at.project}:5 promotion.guard.min_regret_hits is below the 3`),
  ])
})

test("a warning names the file and the line", () => {
  const at = places({ project: "\n[retrieval]\nbudget = 1\n" })
  expect(readPolicy(at).warnings).toEqual([
    expect.stringContaining(`${at.project}:3 retrieval.budget is not a policy key`),
  ])
})

test("an invalid file is a user error, with all its problems at once", () => {
  const at = places({ user: '[retrieval]\ntop_k = "many"\nguard_lane = 2\n' })
  expect(() => readPolicy(at)).toThrow(DreyError)
  expect(() => readPolicy(at)).toThrow(`${at.user}:2 retrieval.top_k`)
  expect(() => readPolicy(at)).toThrow(`${at.user}:3 retrieval.guard_lane`)
})
