import { expect, test } from "vitest"
import { builtInPolicy, mergePolicies, type Policy } from "./policy.ts"
import { limitProjectPolicy, parsePolicy, writePolicy } from "./policy-toml.ts"

const parse = (text: string) => parsePolicy(text, "memory_policy.toml")

test("a file sets only what it changes, as tables or inline", () => {
  const inline = parse("[promotion]\nguard = { min_opportunities = 12 }\n")
  const table = parse("[promotion.guard]\nmin_opportunities = 12\n")
  const dotted = parse("promotion.guard.min_opportunities = 12\n")
  for (const file of [inline, table, dotted]) {
    expect(file).toEqual({ policy: { promotion: { guard: { min_opportunities: 12 } } }, warnings: [], problems: [] })
  }
})

test("layers are merged key by key, the later one on top", () => {
  const user = parse("[retrieval]\nbudget_tokens = 600\ntop_k = 5\n").policy
  const project = parse("[retrieval]\nbudget_tokens = 300\n[writer]\nprefilter = false\n").policy
  const { retrieval, writer } = mergePolicies([user, project])
  expect(retrieval).toEqual({ ...builtInPolicy.retrieval, budget_tokens: 300, top_k: 5 })
  expect(writer).toEqual({ ...builtInPolicy.writer, prefilter: false })
  expect(mergePolicies([])).toEqual(builtInPolicy)
})

test("a partial rule inherits the rest from the one that would apply without it", () => {
  const { policy } = parse(
    "[promotion]\ndefault = { min_opportunities = 7 }\nnote = { min_regret_hits = 1 }\npattern = { min_use_ratio = 0.5 }\ngotcha = { min_regret_hits = 4 }\n",
  )
  const { promotion } = mergePolicies([policy])
  expect(promotion.note).toEqual({ min_opportunities: 7, min_use_ratio: 0.6, min_regret_hits: 1 })
  expect(promotion.gotcha).toEqual({ min_opportunities: 7, min_use_ratio: 0.5, min_regret_hits: 4 })
  expect(promotion.invariant).toEqual(builtInPolicy.promotion.invariant)
})

test('decay may be "never", and any embedder may have its own thresholds', () => {
  const { policy, problems, warnings } = parse(
    '[decay.note]\nmax_inactive_days = "never"\n[similarity."my-model/v1"]\nopportunity_similarity = 0.45\n',
  )
  expect([problems, warnings]).toEqual([[], []])
  expect(mergePolicies([policy]).decay.note).toEqual({ max_inactive_days: "never" })
  expect(mergePolicies([policy]).similarity).toEqual({ "my-model/v1": { opportunity_similarity: 0.45 } })
})

test("unknown keys are skipped with their line, and with a suggestion", () => {
  const { policy, warnings, problems } = parse(
    "# ours\n[promotions.default]\nmin_opportunities = 1\n\n[retrieval]\nbudget_token = 9\n[promotion]\nidea = { min_opportunities = 1 }\n[similarity.m]\ntop = 1\n",
  )
  expect(warnings).toEqual([
    "memory_policy.toml:2 promotions is not a policy key; it was ignored. Did you mean promotion?",
    "memory_policy.toml:6 retrieval.budget_token is not a policy key; it was ignored. Did you mean retrieval.budget_tokens?",
    "memory_policy.toml:8 promotion.idea is not a policy key; it was ignored",
    "memory_policy.toml:10 similarity.m.top is not a policy key; it was ignored",
  ])
  expect(problems).toEqual([])
  expect(policy).toEqual({ retrieval: {}, promotion: {}, similarity: { m: {} } })
})

test.each([
  ["[promotion]\nguard = 3\n", "memory_policy.toml:2 promotion.guard must be a table"],
  [
    "[promotion]\n\nguard = { min_use_ratio = 1.5 }\n",
    "memory_policy.toml:3 promotion.guard.min_use_ratio must be a number from 0 to 1",
  ],
  ['[retrieval]\ntop_k = "20"\n', "memory_policy.toml:2 retrieval.top_k must be a number, 0 or more"],
  ["[retrieval]\ntop_k = -1\n", "memory_policy.toml:2 retrieval.top_k must be a number, 0 or more"],
  ["[retrieval]\ntop_k = inf\n", "memory_policy.toml:2 retrieval.top_k must be a number, 0 or more"],
  [
    '[decay.note]\nmax_inactive_days = "none"\n',
    'memory_policy.toml:2 decay.note.max_inactive_days must be a number of days, or "never"',
  ],
  ["[writer]\nprefilter = 1\n", "memory_policy.toml:2 writer.prefilter must be true or false"],
  ['[graduate]\nmode = "always"\n', 'memory_policy.toml:2 graduate.mode must be "propose" or "auto" or "off"'],
  ["[guards]\nask = [3]\n", "memory_policy.toml:2 guards.ask must be a list of ids"],
  ["promotion = 2026-01-01\n", "memory_policy.toml:1 promotion must be a table"],
])("invalid values are reported with their line: %j", (text, problem) => {
  expect(parse(text).problems).toEqual([problem])
})

test("invalid TOML is reported with its line, not thrown", () => {
  expect(parse("[retrieval]\ntop_k = = 3\n").problems).toEqual([
    expect.stringMatching(/^memory_policy\.toml:2 is not TOML: /),
  ])
  expect(parse('[similarity."__proto__"]\ntop_k = 3\n').problems).toHaveLength(1)
})

test("a byte order mark and Windows line ends do not matter", () => {
  expect(parse("\uFEFF[retrieval]\r\ntop_k = 3\r\n").policy).toEqual({ retrieval: { top_k: 3 } })
})

test("a written policy is read back unchanged", () => {
  const { policy, warnings, problems } = parse(writePolicy(builtInPolicy))
  expect([warnings, problems]).toEqual([[], []])
  expect(mergePolicies([policy])).toEqual(builtInPolicy)
})

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

test("a project may require more evidence than the user does, never less", () => {
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

test("a project may share fewer learned memories than the user does, never more", () => {
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
