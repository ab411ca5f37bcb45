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
    "[promotion.guard]\nmin_opportunities = 20\n[writer]\nallow_team = true\nmax_attempts = 900\n",
  )
  expect(policy).toEqual({ promotion: { guard: { min_opportunities: 20 } } })
  expect(warnings).toEqual([
    "memory_policy.toml:4 writer.allow_team is allowed only in your own memory_policy.toml; it was ignored",
    "memory_policy.toml:5 writer.max_attempts is allowed only in your own memory_policy.toml; it was ignored",
  ])
})

test("a project may ask for more proof than the user does, never for less", () => {
  const { policy, warnings } = limit(
    "[promotion.default]\nmin_opportunities = 0\nmin_use_ratio = 0.9\n[promotion.note]\nmin_regret_hits = 1\n[promotion.gotcha]\nmin_opportunities = 9\n[retrieval]\nmin_confidence = 0.1\ntop_k = 5\n[commit]\ndrop_confidence = 0\n",
  )
  expect(policy).toEqual({
    promotion: { default: { min_use_ratio: 0.9 }, note: {}, gotcha: { min_opportunities: 9 } },
    retrieval: { top_k: 5 },
    commit: {},
  })
  expect(warnings).toEqual([
    "memory_policy.toml:2 promotion.default.min_opportunities is below the 5 of your own policy; it was ignored",
    "memory_policy.toml:5 promotion.note.min_regret_hits is below the 2 of your own policy; it was ignored",
    "memory_policy.toml:9 retrieval.min_confidence is below the 0.6 of your own policy; it was ignored",
    "memory_policy.toml:12 commit.drop_confidence is below the 0.4 of your own policy; it was ignored",
  ])
  const user = mergePolicies([{ promotion: { default: { min_opportunities: 1 } } }])
  expect(limit("[promotion.default]\nmin_opportunities = 2\n", user).warnings).toEqual([])
})

test("a project does not decide before which tool calls a user is asked", () => {
  expect(limit('[guards]\nask = ["m:4f2a91"]\n')).toEqual({
    policy: {},
    warnings: ["memory_policy.toml:2 guards.ask is allowed only in your own memory_policy.toml; it was ignored"],
  })
})

test("a project may let less out of what was learned than the user does, never more", () => {
  expect(limit('[graduate]\nmode = "auto"\n')).toEqual({
    policy: {},
    warnings: [
      'memory_policy.toml:2 graduate.mode = "auto" would share more than your own policy allows; it was ignored',
    ],
  })
  expect(limit('[graduate]\nmode = "propose"\n', userWith("off")).policy).toEqual({})
  for (const mode of ["off", "propose", "auto"] as const) {
    const limited = limit(`[graduate]\nmode = "${mode}"\n`, userWith("auto"))
    expect(limited).toEqual({ policy: { graduate: { mode } }, warnings: [] })
  }
})
