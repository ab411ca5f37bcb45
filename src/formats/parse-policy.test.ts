import { expect, test } from "vitest"
import { mergePolicies } from "./merge-policies.ts"
import { parsePolicy } from "./parse-policy.ts"
import { builtInPolicy } from "./policy.ts"
import { writePolicy } from "./write-policy.ts"

const parse = (text: string) => parsePolicy(text, "memory_policy.toml")

test("a file says only what it changes, as tables or inline", () => {
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

test("a rule that says only a part takes the rest from the one that would hold without it", () => {
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

test("what no policy has is passed over with its line, and with what was probably meant", () => {
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
])("what cannot be meant is told with its line: %j", (text, problem) => {
  expect(parse(text).problems).toEqual([problem])
})

test("what is not TOML is told with its line, not thrown", () => {
  expect(parse("[retrieval]\ntop_k = = 3\n").problems).toEqual([
    expect.stringMatching(/^memory_policy\.toml:2 is not TOML: /),
  ])
  expect(parse('[similarity."__proto__"]\ntop_k = 3\n').problems).toHaveLength(1)
})

test("a byte order mark and Windows line ends are no matter", () => {
  expect(parse("\uFEFF[retrieval]\r\ntop_k = 3\r\n").policy).toEqual({ retrieval: { top_k: 3 } })
})

test("a policy that was written out reads back as itself", () => {
  const { policy, warnings, problems } = parse(writePolicy(builtInPolicy))
  expect([warnings, problems]).toEqual([[], []])
  expect(mergePolicies([policy])).toEqual(builtInPolicy)
})
