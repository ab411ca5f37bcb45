import { cpSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { dumpStore } from "../src/memories/test-store.ts"
import { type LearningPlace, learningPlace, operations, say, useModel } from "./learning-place.ts"
import { makeRepository, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const start = "2026-03-01T09:00:00.000Z"
const later = "2026-03-02T09:00:00.000Z"

async function taught(words = "we use pnpm here, not npm"): Promise<LearningPlace> {
  const it = learningPlace()
  say(it, words, { start })
  await (await it.learning({ at: later })).ingest()
  return it
}

describe("operations", () => {
  type Answer = Parameters<typeof useModel>[1]
  const words = "we install packages with pnpm in this repository"
  /** An episode on each of the first days of March, with what the person says in it and what the model makes of it. */
  async function written(...days: [said: string, answer: Answer][]): Promise<LearningPlace> {
    const it = learningPlace()
    for (const [at, [said, answer]] of days.entries()) await write(it, at + 1, said, answer)
    return it
  }
  async function write(it: LearningPlace, day: number, said: string, answer: Answer): Promise<void> {
    await useModel(it, answer)
    say(it, said, { session: `s${day}`, start: `2026-03-0${day}T09:00:00Z` })
    await (await it.learning({ at: "2026-03-20T09:00:00Z" })).ingest()
  }
  const ended = { text: JSON.stringify({ ops: [{ op: "DEPRECATE", target_memory_id: 1 }] }) }
  const rows = (it: LearningPlace) =>
    it.rows("SELECT text, status, flags FROM memories ORDER BY created_at, status DESC, text")
  const pnpm = { text: "Install packages with pnpm in this repository." }

  test("the same words again are evidence, not a second memory", async () => {
    const again = operations({ text: "install packages with pnpm in this repository" })
    const it = await written([words, operations(pnpm)], [words, again])
    expect(rows(it)).toEqual([{ text: pnpm.text, status: "provisional", flags: "[]" }])
    expect(it.rows("SELECT count(*) AS n FROM evidence")).toEqual([{ n: 2 }])
  })

  test("another value under the same key replaces the old one", async () => {
    const [mysql, postgres] = ["The database is MySQL.", "Data is kept in PostgreSQL 16."]
    const key = "project.db.engine"
    const it = await written([mysql, operations({ key, text: mysql })], [postgres, operations({ key, text: postgres })])
    expect(rows(it)).toEqual([
      { text: mysql, status: "deprecated", flags: "[]" },
      { text: postgres, status: "provisional", flags: "[]" },
    ])
  })

  test("a refinement keeps what was earned", async () => {
    const it = await written([words, operations({ ...pnpm, quote: words })])
    await it.open({ at: "2026-03-04T09:00:00Z" }).context.build({ task: "Install a package with pnpm" })
    it.change("UPDATE memories SET status = 'active', pinned = 1")
    const text = "Install packages with pnpm in this repository, please."
    await write(it, 5, words, operations({ op: "UPDATE", target_memory_id: 1, text, quote: words }))
    const [refined] = await (await it.learning()).list({ statuses: ["active"] })
    expect(refined).toMatchObject({ text, pinned: true, metrics: { useCount: 1 }, derivedFrom: expect.any(String) })
  })

  test("other words under the same number start a new memory, and the old one is retired", async () => {
    const it = await written([words, operations(pnpm)])
    it.change("UPDATE memories SET status = 'active'")
    const text = "Money is kept in cents and never in floats."
    await write(it, 5, text, operations({ op: "UPDATE", target_memory_id: 1, text }))
    expect(rows(it)).toEqual([
      { text: pnpm.text, status: "deprecated", flags: "[]" },
      { text, status: "provisional", flags: "[]" },
    ])
  })

  test("DEPRECATE retires a memory, and only flags a pinned one for review", async () => {
    const it = await written([words, operations(pnpm)], [words, ended])
    expect(rows(it)).toEqual([{ text: pnpm.text, status: "deprecated", flags: "[]" }])
    const other = await written([words, operations(pnpm)])
    other.change("UPDATE memories SET pinned = 1")
    await write(other, 5, words, ended)
    expect(rows(other)).toEqual([{ text: pnpm.text, status: "provisional", flags: '["review"]' }])
    expect((await other.run("status", "--review")).stdout).toContain(pnpm.text)
  })

  test("an update of a missing memory is a new one, and existing ones stay", async () => {
    const podman = "Deploy with podman."
    const it = await written(
      [words, operations(pnpm)],
      [podman, operations({ op: "UPDATE", target_memory_id: 9, text: podman })],
    )
    expect(it.rows("SELECT text FROM memories WHERE status = 'provisional' ORDER BY text")).toEqual([
      { text: podman },
      { text: pnpm.text },
    ])
  })

  test("a memory of low confidence is dropped; one of medium confidence is handed out after a second piece of evidence", async () => {
    const podman = { text: "Deploy with podman.", confidence: 0.5 }
    const it = await written([podman.text, operations({ ...pnpm, confidence: 0.3 }, podman)])
    expect(rows(it)).toEqual([{ text: podman.text, status: "provisional", flags: "[]" }])
    const at = "2026-03-20T09:00:00Z"
    const handed = async () => (await it.open({ at }).context.build({ task: podman.text })).context.included
    expect(await handed()).toEqual([])
    await write(it, 5, podman.text, operations(podman))
    expect(await handed()).toHaveLength(1)
  })

  test("opposite rules are both kept, and flagged for review", async () => {
    const [rule, opposite] = ["Run the linter before every commit.", "Do not run the linter before every commit."]
    const it = await written(
      [rule, operations({ kind: "pattern", text: rule })],
      [opposite, operations({ kind: "pattern", polarity: -1, text: opposite })],
    )
    expect(it.rows("SELECT status, flags FROM memories")).toEqual([
      { status: "provisional", flags: '["conflict"]' },
      { status: "provisional", flags: '["conflict"]' },
    ])
  })

  test("an episode yields at most three memories", async () => {
    const names = ["podman", "luxon", "poetry", "vitest", "terraform"]
    const said = `we use ${names.join(", ")}`
    const it = await written([said, operations(...names.map((name) => ({ text: `This project uses ${name}.` })))])
    expect(rows(it)).toHaveLength(3)
  })

  test("what a writer assigns to a team is the user's own", async () => {
    const it = await written([words, operations({ ...pnpm, owner_type: "team", owner_id: "platform" })])
    expect(it.rows("SELECT owner_type, owner_id FROM memories")).toEqual([{ owner_type: "user", owner_id: "ines" }])
  })
})

describe("context", () => {
  test("another user's memories, other paths' and other projects' are not; guards come first and are marked", async () => {
    const it = learningPlace()
    const tools = "use podman to deploy the shop and terraform to deploy the api"
    const friday = "never deploy on a Friday"
    await useModel(
      it,
      operations(
        { text: "Deploy the api with terraform.", scope: "repo_path", path_prefix: "packages/api", quote: tools },
        { text: "Deploy the shop with podman.", quote: tools },
        { kind: "guard", tier: "emergency", text: "Never deploy on a Friday.", polarity: -1, quote: friday },
      ),
    )
    say(it, `${friday}, and ${tools}`, { start })
    await (await it.learning({ at: later })).ingest()
    const handed = async (paths?: string[]) =>
      (await it.open({ at: later }).context.build({ task: "Deploy the shop and the api", ...(paths ? { paths } : {}) }))
        .context
    const { text } = await handed()
    expect(text).toMatch(/WARNING: \[m:[0-9a-f]{6}\] guard[^\n]*\n> Never deploy on a Friday\.[\s\S]*podman/)
    expect(text).not.toContain("terraform")
    expect((await handed(["packages/api/server.ts"])).text).toContain("terraform")
    expect((await handed(["packages/api-docs/index.md"])).text).not.toContain("terraform")
  })

  test("without vectors, memories are learned, found by their words and still deduplicated", async () => {
    const bare = makeRepository({})
    const project = join(import.meta.dirname, "..")
    cpSync(join(project, "package.json"), join(bare, "package.json"))
    cpSync(join(project, "dist"), join(bare, "dist"), { recursive: true })
    symlinkSync(join(project, "node_modules"), join(bare, "node_modules"))
    const it = learningPlace()
    const run = async (...args: string[]) => {
      const result = await runWarm([...args, "--json"], {
        cwd: it.root,
        env: it.env,
        cli: join(bare, "dist", "cli.cjs"),
      })
      expect(result.code, result.stderr).toBe(0)
      return JSON.parse(result.stdout)
    }
    for (const [at, words] of ["Always format dates with luxon", "Never mock the gateway in tests"].entries())
      for (const time of ["one", "two"]) say(it, words, { session: `${time}-${at}` })
    expect(await run("ingest")).toMatchObject({ memories: 2 })
    expect(it.rows("SELECT embedding FROM memories")).toEqual([{ embedding: null }, { embedding: null }])
    expect((await run("context", "--task", "Format the dates of a booking")).text).toMatch(/luxon/)
    expect(await run("search", "gateway", "--source", "learned")).toHaveLength(1)
    // Once the files are there again, what has no vector is given one.
    say(it, "Always use podman", { session: "three" })
    await it.runJson("ingest")
    expect(it.rows("SELECT memory_id FROM memories WHERE embedding IS NULL")).toEqual([])
  })

  test("a trivial task is handed nothing", async () => {
    const it = await taught("Always run the linter before you commit")
    for (const task of ["fix typo", "Fix a typo in the README", "add a comment"])
      expect((await it.open({ at: later }).context.build({ task })).context.text).toBe("")
  })
})

describe("evaluation", () => {
  type Metrics = { opp: number; use: number; passed?: number; hits: number }
  /** A memory of a kind whose record is as given, and what is decided about it. */
  async function judged(kind: string, { opp, use, passed = opp - use, hits }: Metrics, more = ""): Promise<string[]> {
    const it = await taught()
    const tier = kind === "guard" ? "emergency" : "short_term"
    it.change(`UPDATE memories SET kind = '${kind}', polarity = -1, key = NULL, tier = '${tier}' ${more}`)
    it.change(
      `UPDATE memory_metrics SET opportunities = ${opp}, use_count = ${use}, passed_over = ${passed}, suspected_regret_hits = ${hits}, last_used_at = '${later}'`,
    )
    const learning = await it.learning({ at: "2026-03-03T09:00:00Z" })
    const before = dumpStore(it.database)
    const { decisions } = await learning.evaluate({ dryRun: true })
    expect(dumpStore(it.database)).toEqual(before)
    const applied = (await learning.evaluate()).decisions
    expect(applied).toEqual(decisions)
    for (const { reason } of decisions) expect(reason).not.toBe("")
    return applied.map(({ result }) => result)
  }

  test.each([
    ["note", { opp: 5, use: 3, hits: 2 }, ["promote"]],
    ["note", { opp: 4, use: 4, hits: 2 }, []],
    ["note", { opp: 5, use: 3, hits: 1 }, []],
    ["invariant", { opp: 3, use: 2, hits: 1 }, ["promote"]],
    ["invariant", { opp: 2, use: 2, hits: 1 }, []],
    ["invariant", { opp: 3, use: 2, hits: 0 }, []],
    ["preference", { opp: 5, use: 3, hits: 2 }, ["promote"]],
    ["pattern", { opp: 5, use: 3, hits: 2 }, ["promote"]],
    ["guard", { opp: 10, use: 3, hits: 3 }, ["promote"]],
    ["guard", { opp: 9, use: 9, hits: 3 }, []],
    ["guard", { opp: 10, use: 10, hits: 2 }, []],
  ] as const)("a %s with %o is promoted when it is due, and not before: %o", async (kind, metrics, expected) => {
    expect(await judged(kind, metrics)).toEqual(expected)
  })

  test.each([
    ["note", { opp: 5, use: 1, hits: 0 }, ["deprecate"]],
    ["note", { opp: 4, use: 0, hits: 0 }, []],
    ["pattern", { opp: 10, use: 1, hits: 0 }, ["deprecate"]],
    ["pattern", { opp: 9, use: 0, hits: 0 }, []],
    ["pattern", { opp: 10, use: 2, hits: 0 }, []],
    ["guard", { opp: 20, use: 1, hits: 0 }, ["deprecate"]],
    ["guard", { opp: 19, use: 0, hits: 0 }, []],
    ["pattern", { opp: 50, use: 0, passed: 0, hits: 0 }, []],
  ] as const)("a %s with %o is retired when it is due, and not before: %o", async (kind, metrics, expected) => {
    expect(await judged(kind, metrics)).toEqual(expected)
  })

  test.each([
    ["is pinned", "pattern", ", pinned = 1", { opp: 30, use: 0, hits: 0 }],
    ["is a proven invariant", "invariant", ", status = 'active', tier = 'long_term'", { opp: 30, use: 0, hits: 0 }],
    ["is a proven guard that was needed", "guard", ", status = 'active'", { opp: 50, use: 1, hits: 1 }],
  ] as const)("what %s is not retired automatically", async (_what, kind, more, metrics) => {
    expect(await judged(kind, metrics, more)).not.toContain("deprecate")
  })

  test("a policy of the user changes the thresholds", async () => {
    const it = await taught()
    writeFiles(it.env.DREY_HOME, {
      "memory_policy.toml": "[promotion]\ninvariant = { min_opportunities = 1, min_regret_hits = 0 }\n",
    })
    it.change("UPDATE memory_metrics SET opportunities = 1, use_count = 1")
    const { decisions } = await (await it.learning({ at: later })).evaluate()
    expect(decisions).toMatchObject([{ result: "promote", status: "active", tier: "long_term" }])
  })
})
