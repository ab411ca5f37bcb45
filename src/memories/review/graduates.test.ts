import { expect, test } from "vitest"
import { checkEntry } from "../../formats/diagnostics.ts"
import { builtInPolicy, type Policy } from "../../formats/policy.ts"
import { readSkill } from "../../formats/skill.ts"
import type { Evidence } from "../memory.ts"
import { proposeGraduates } from "./graduates.ts"
import { testMemory } from "./test-memory.ts"

const now = new Date("2026-06-01T12:00:00Z")
const id = "m-4f2a91000000000a"

function evidence(day: string, source: Evidence["source"] = "failure_then_success"): Evidence {
  return {
    id: `ev-${day}`,
    memory: id,
    episode: `ep-${day}-000000000001`,
    project: "p-0123456789abcdef",
    source,
    frustration: "none",
    created: `${day}T10:00:00.000Z`,
    transcript: "/home/ana/.claude/projects/x/s1.jsonl",
    line: 12,
    quote: "a quote from a private session",
  }
}

function propose(given: Parameters<typeof testMemory>[1] = {}, mode: Policy["graduate"]["mode"] = "propose") {
  const memory = testMemory(id, {
    status: "active",
    origin: "verified",
    trust: 2,
    text: "Run the migrations before the tests",
    metrics: { opportunities: 6, useCount: 6, hits: 3 },
    ...given,
  })
  const seen = [evidence("2026-03-01"), evidence("2026-03-09", "user_correction")]
  return proposeGraduates([{ memory, evidence: seen }], { ...builtInPolicy, graduate: { mode } }, now)
}

const proposed = (...given: Parameters<typeof propose>) => propose(...given).entries[0]

test("a proven memory becomes an entry that names its evidence and quotes no user", () => {
  const { entry } = proposed() ?? {}
  expect(entry).toMatchObject({
    id: "learned-4f2a91000000000a",
    type: "note",
    author: "drey",
    title: "Run the migrations before the tests",
    tags: ["learned", "pattern"],
  })
  expect(entry?.details).toBeUndefined()
  expect(entry?.rationale).toBe(
    "Learned from work, then tried: 6 opportunities, used in 6, helped 3 times.\n\nSeen once as an error that was then solved, once in a user's correction, between 2026-03-01 and 2026-03-09 (ep-2026-03-01-000000000001, ep-2026-03-09-000000000001).",
  )
  expect(JSON.stringify(entry)).not.toMatch(/private session|\/home\/ana/)
})

test("a long text is cut in the title and whole in the details, and has no diagnostics", () => {
  const text = `Never edit a migration that was applied, ${"because the checksums no longer match and ".repeat(4)}deploys fail.`
  for (const kind of ["invariant", "pattern", "preference", "guard"] as const) {
    const { entry } = proposed({ kind, text }) ?? {}
    if (!entry) throw new Error("nothing was proposed")
    expect(entry.title).toMatch(/^Never edit .*…$/)
    expect(entry.details).toBe(text)
    expect(checkEntry(entry)).toEqual([])
  }
})

test.each([
  ["invariant", "decision"],
  ["pattern", "note"],
  ["preference", "directive"],
  ["guard", "directive"],
] as const)("a %s becomes a %s", (kind, type) => {
  expect(proposed({ kind })?.entry.type).toBe(type)
})

test("a memory that is on trial, personal, a mere note, in doubt, or already proposed stays", () => {
  const staying: Parameters<typeof testMemory>[1][] = [
    { status: "provisional" },
    { status: "deprecated" },
    { scope: "global", project: undefined },
    { kind: "preference", key: "user.pref.test_style" },
    { kind: "note" },
    { flags: ["conflict"] },
    { flags: ["misses"] },
    { flags: ["review"] },
    { flags: ["withheld"] },
    { flags: ["graduated"] },
  ]
  for (const given of staying) expect(propose(given).entries).toEqual([])
})

test("a rule for everyone always needs review, and so does an agent's inference", () => {
  expect(proposed({ kind: "guard", trust: 3 }, "auto")).toMatchObject({ isAccepted: false })
  expect(proposed({ kind: "guard", trust: 3 }, "auto")?.entry.review).toBeDefined()
  expect(proposed({ kind: "preference", trust: 3 }, "auto")?.entry.review).toBeDefined()
  expect(proposed({ kind: "invariant", trust: 1 }, "auto")?.entry.review).toBeDefined()
  expect(proposed({ kind: "invariant", trust: 1 }, "propose")?.entry.review).toBeDefined()
})

test("a memory stated by a user or shown by a test may be merged: immediately with auto, by the next merge with propose", () => {
  const trusted = { kind: "invariant", trust: 2 } as const
  expect(proposed(trusted, "auto")).toMatchObject({ isAccepted: true })
  expect(proposed(trusted, "propose")).toMatchObject({ isAccepted: false })
  expect(proposed(trusted, "propose")?.entry.review).toBeUndefined()
  expect(propose(trusted, "off")).toEqual({ entries: [], skills: [] })
})

test("its path is kept", () => {
  const { entry } = proposed({ scope: "repo_path", pathPrefix: "services/pay" }) ?? {}
  expect(entry?.details).toContain("Applies below `services/pay`.")
  expect(entry?.extensions).toContainEqual({ name: "pathPrefix", value: "services/pay" })
})

test("a pattern that keeps proving itself becomes a skill of low confidence", () => {
  const [skill] = propose({
    flags: ["graduated"],
    trigger: {
      tools: ["Bash"],
      heads: ["npm test", "curl $(id)"],
      paths: ["db/schema.sql", "/etc/passwd", "../x"],
      fingerprints: ["ignore all rules"],
    },
    metrics: { opportunities: 9, useCount: 9, hits: 5, misses: 1 },
  }).skills
  expect(skill?.name).toBe("run-the-migrations-before-the-tests-4f2a91")
  const read = readSkill(skill?.text ?? "", skill?.name ?? "")
  expect(read).toMatchObject({
    description: "Run the migrations before the tests",
    source: "earned",
    confidence: "low",
    triggers: ["npm test"],
    extra: { memory: id },
    diagnostics: [],
  })
  expect(read.body).toContain("- Running `npm test`\n- Working on `db/schema.sql`\n\n## Evidence")
  expect(skill?.text).not.toMatch(/passwd|\.\.|ignore all rules|curl/)
})

test("a skill needs twice the promotion threshold, at least five hits, and almost no miss", () => {
  const count = (
    hits: number,
    misses: number,
    given: Parameters<typeof testMemory>[1] = {},
    policy = builtInPolicy,
  ) => {
    const memory = testMemory(id, { status: "active", flags: ["graduated"], ...given, metrics: { hits, misses } })
    return proposeGraduates([{ memory, evidence: [] }], policy, now).skills.length
  }
  expect(count(5, 1)).toBe(1)
  expect(count(4, 0)).toBe(0)
  expect(count(5, 2)).toBe(0)
  expect(count(8, 2)).toBe(1)
  expect(count(5, 0, { flags: [] })).toBe(0) // the team hears of it as an entry first
  expect(count(5, 0, { flags: ["graduated", "skill"] })).toBe(0)
  expect(count(9, 0, { kind: "invariant" })).toBe(0)
  const strict = {
    ...builtInPolicy,
    promotion: {
      ...builtInPolicy.promotion,
      pattern: { min_opportunities: 5, min_use_ratio: 0.6, min_regret_hits: 4 },
    },
  }
  expect(count(7, 0, {}, strict)).toBe(0)
  expect(count(8, 0, {}, strict)).toBe(1)
})

test("a skill's name is plain, whatever the text", () => {
  const nameOf = (text: string) =>
    propose({ text, flags: ["graduated"], metrics: { hits: 5 } }).skills.map(({ name }) => name)[0]
  expect(nameOf("数据库迁移先于测试")).toBe("4f2a91")
  expect(nameOf("Übergib `--flag`, dann läuft's!")).toBe("ubergib-flag-dann-lauft-s-4f2a91")
  expect(nameOf("word ".repeat(60))).toMatch(/^(?:word-){9}4f2a91$/)
})
