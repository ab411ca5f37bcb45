import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { builtInPolicy } from "../../formats/policy.ts"
import { openStaticEmbedder } from "../../index/embedders/static-embedder.ts"
import { sqliteIndex } from "../../index/sqlite-index.ts"
import { type Memory, noMetrics } from "../../memories/memory.ts"
import { itemOfMemory } from "../payload.ts"
import type { RecallParts } from "../recall-parts.ts"
import { boundTokens } from "../token-count.ts"
import { buildContext } from "./context-builder.ts"
import { scoreLearned } from "./learned-candidates.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const { retrieval } = builtInPolicy

async function partsWith(memories: Memory[], uses: Record<string, number> = {}): Promise<RecallParts> {
  const folder = mkdtempSync(join(tmpdir(), "drey-learned-"))
  folders.push(folder)
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") throw new Error(table.reason)
  const { id, embedNow } = table.embedder
  const embedder = { id, embed: (texts: string[]) => texts.map((text) => embedNow(text)) }
  const index = await sqliteIndex(join(folder, "index.db"), { embedder, minilm: undefined })
  await index.update([{ key: "learned", stamp: "1", items: memories.map(itemOfMemory) }])
  const useCounts = async () => new Map(Object.entries(uses))
  const now = () => new Date("2026-11-10T00:00:00Z")
  return {
    index,
    embedNow,
    embedDeep: undefined,
    countTokens: boundTokens,
    now,
    learned: { settings: retrieval, useCounts },
  }
}

let made = 0
function memory(text: string, change: Partial<Memory> = {}): Memory {
  made++
  return {
    id: `m-${String(made).padStart(16, "0")}`,
    project: "p-1",
    scope: "project",
    pathPrefix: undefined,
    owner: { type: "user", id: "mira" },
    kind: "pattern",
    tier: "short_term",
    polarity: 1,
    key: undefined,
    text,
    status: "provisional",
    confidence: 0.8,
    expires: undefined,
    pinned: false,
    flags: [],
    trigger: { tools: [], heads: [], paths: [], fingerprints: [] },
    origin: "user",
    trust: 3,
    derivedFrom: undefined,
    contributedBy: undefined,
    sourceMemory: undefined,
    version: 1,
    created: "2026-11-01T00:00:00Z",
    updated: "2026-11-01T00:00:00Z",
    metrics: noMetrics,
    evidence: 1,
    ...change,
  }
}

const commits = memory("Write commit messages in the imperative mood.")
const tests = memory("Run `bun test src`: the bare command also runs the tests of cloned folders.")

test("relevant memories are handed out, others are left, and the ledger distinguishes both", async () => {
  const { context, learned } = await buildContext(await partsWith([commits, tests]), {
    task: "Fix the failing unit tests",
  })
  expect(context.included.map(({ id }) => id)).toEqual([tests.id])
  expect(learned).toEqual([{ id: tests.id, injected: true, rank: 1, score: expect.any(Number) }])
})

test("a trivial task gets no learned memories", async () => {
  const { context } = await buildContext(await partsWith([commits, tests]), {
    task: "fix a typo in a comment of the tests",
  })
  expect(context.text).toBe("")
})

test("a fact under a key is handed out if the task is an occasion for it, in any words, and otherwise not", async () => {
  const fact = memory("This project uses pnpm, not npm.", { kind: "invariant", key: "project.package_manager" })
  const parts = await partsWith([fact])
  const { context, learned } = await buildContext(parts, { task: "Bring in lodash as a dependency" })
  expect(context.text).toContain("pnpm")
  expect(learned).toHaveLength(1)
  const other = await buildContext(parts, { task: "Draw the moon in CSS" })
  expect(other).toMatchObject({ context: { text: "" }, learned: [] })
})

test("expired memories, those for other paths and those with too low confidence are left out with the reason", async () => {
  const about = "Run the unit tests of this package with bun."
  const parts = await partsWith([
    memory(about, { expires: "2026-11-05T00:00:00Z" }),
    memory(`${about} One.`, { scope: "repo_path", pathPrefix: "services/api" }),
    memory(`${about} Two.`, { confidence: 0.5 }),
  ])
  const { context } = await buildContext(parts, { task: "Run the unit tests", paths: ["services/web/a.ts"] })
  expect(context.included).toEqual([])
  expect(context.left.map(({ reason }) => reason).sort()).toEqual([
    "expired",
    "low confidence: only one piece of evidence so far",
    "only for work in services/api",
  ])
})

test("many memories stay within their share; the skipped ones are recorded", async () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    memory(`Unit tests of part ${at} need the fixture server; start it with bun run fixtures ${at} before the tests.`),
  )
  const { context, learned } = await buildContext(await partsWith(many), {
    task: "Fix the failing unit tests of a part",
  })
  const spent = context.included.reduce((sum, { tokens }) => sum + tokens, 0)
  expect(spent).toBeLessThanOrEqual(retrieval.budget_tokens)
  expect(learned.some(({ injected }) => injected)).toBe(true)
  expect(learned.some(({ injected }) => !injected)).toBe(true)
})

test("warnings come first, at most three", async () => {
  const guards = Array.from({ length: 5 }, (_, at) =>
    memory(`Never run the unit tests on machine ${at}.`, { kind: "guard", polarity: -1 }),
  )
  const parts = await partsWith([tests, ...guards])
  const roomy = {
    ...parts,
    learned: { ...parts.learned, settings: { ...retrieval, budget_tokens: 800 } },
  } as RecallParts
  const { context } = await buildContext(roomy, { task: "Run the unit tests" })
  expect(context.text.match(/^WARNING:/gm)).toHaveLength(3)
  expect(context.text.indexOf("WARNING:")).toBeLessThan(context.text.indexOf("cloned folders"))
})

test.each([
  ["similarity", { similarity: 0.6 }, { similarity: 0.5 }],
  ["being proven", { status: "active" as const }, {}],
  ["an emergency", { tier: "emergency" as const }, {}],
  ["a proven long term", { status: "active" as const, tier: "long_term" as const }, { status: "active" as const }],
  ["its kind", { kind: "invariant" }, { kind: "pattern" }],
  ["use", { uses: 5 }, { uses: 1 }],
])("%s raises the score", (_name, better, worse) => {
  const score = (given: {
    similarity?: number
    status?: Memory["status"]
    tier?: Memory["tier"]
    kind?: string
    uses?: number
  }) =>
    scoreLearned(
      { status: given.status ?? "provisional", tier: given.tier ?? "short_term" },
      given.kind ?? "note",
      given.similarity ?? 0.5,
      given.uses ?? 0,
      retrieval,
    )
  expect(score(better)).toBeGreaterThan(score(worse))
})

test("memories on trial are not crowded out by proven ones: the best of them is second", async () => {
  const proven = Array.from({ length: 6 }, (_, at) =>
    memory(`Unit tests of part ${at} run with bun test.`, { status: "active" }),
  )
  const trial = memory("Unit tests run with bun test and a fixture server.")
  const { learned } = await buildContext(await partsWith([...proven, trial]), { task: "Fix the failing unit tests" })
  expect(learned.findIndex(({ id }) => id === trial.id)).toBe(1)
})

test("a long term tier that was only claimed does not count", () => {
  const score = (tier: Memory["tier"]) => scoreLearned({ status: "provisional", tier }, "note", 0.5, 0, retrieval)
  expect(score("long_term")).toBe(score("short_term"))
})

test("of two contradicting memories the newer one is handed out, with a note that names the other", async () => {
  const old = memory("Always use tabs in new files.", { flags: ["conflict"] })
  const now = memory("Never use tabs in new files.", {
    flags: ["conflict"],
    polarity: -1,
    created: "2026-11-03T00:00:00Z",
  })
  const { context } = await buildContext(await partsWith([old, now]), { task: "Use tabs in the new files" })
  expect(context.text).toContain("Never use tabs")
  expect(context.text).not.toContain("Always use tabs")
  expect(context.text).toMatch(/Newer than \[m:?\S+\], which it contradicts\./)
})

test("a held-out task gets no learned memories, and nothing is recorded", async () => {
  const parts = await partsWith([tests])
  const held = { ...parts, learned: { ...parts.learned, holdoutRate: 1 } } as RecallParts
  const { context, learned } = await buildContext(held, { task: "Fix the failing unit tests" })
  expect(context.text).toBe("")
  expect(learned).toEqual([])
})
