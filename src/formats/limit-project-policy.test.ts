import { expect, test } from "vitest"
import { limitProjectPolicy } from "./limit-project-policy.ts"
import { mergePolicies } from "./merge-policies.ts"
import { parsePolicy } from "./parse-policy.ts"
import type { Policy } from "./policy.ts"

function limit(text: string, user: Policy = mergePolicies([])) {
  const path = "memory_policy.toml"
  return limitProjectPolicy(parsePolicy(text, path).policy, { text, path }, user)
}

const userWith = (mode: Policy["graduate"]["mode"]) => mergePolicies([{ graduate: { mode } }])

test("a project decides how its own memories are judged, and nothing about the writer", () => {
  const { policy, warnings } = limit(
    "[promotion.guard]\nmin_opportunities = 2\n[writer]\nallow_team = true\nmax_attempts = 900\n",
  )
  expect(policy).toEqual({ promotion: { guard: { min_opportunities: 2 } } })
  expect(warnings).toEqual([
    "memory_policy.toml:4 writer.allow_team counts only in the user's own memory_policy.toml; it was passed over",
    "memory_policy.toml:5 writer.max_attempts counts only in the user's own memory_policy.toml; it was passed over",
  ])
})

test("a project does not decide before which tool calls a user is asked", () => {
  expect(limit('[guards]\nask = ["m:4f2a91"]\n')).toEqual({
    policy: {},
    warnings: ["memory_policy.toml:2 guards.ask counts only in the user's own memory_policy.toml; it was passed over"],
  })
})

test("a project may let less out of what was learned than the user does, never more", () => {
  expect(limit('[graduate]\nmode = "auto"\n')).toEqual({
    policy: {},
    warnings: [
      'memory_policy.toml:2 graduate.mode = "auto" would let out more than the user\'s own policy does; it was passed over',
    ],
  })
  expect(limit('[graduate]\nmode = "propose"\n', userWith("off")).policy).toEqual({})
  for (const mode of ["off", "propose", "auto"] as const) {
    const limited = limit(`[graduate]\nmode = "${mode}"\n`, userWith("auto"))
    expect(limited).toEqual({ policy: { graduate: { mode } }, warnings: [] })
  }
})
