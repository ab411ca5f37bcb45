import { expect, test } from "vitest"
import type { Episode } from "../episode.ts"
import type { LearnedStore, SessionFilter } from "../learned-store.ts"
import type { StoreEmbedder } from "../similarity.ts"
import { minute, nothingSettled, testCommit, testEpisode, testEvent, testIntake } from "../test-store.ts"
import { testCommitting } from "./commit-contract.ts"
import { testEdits, testForgetting, testSharing } from "./edit-contract.ts"
import { testLedger } from "./ledger-contract.ts"
import { testProposals } from "./proposal-contract.ts"
import { testUpkeep } from "./review-contract.ts"
import { testUpdates } from "./update-contract.ts"

/** Makes an empty store with `maxAttempts` 3 and a `baselineWindow` of 4, or another handle on the store of `beside`. */
export type OpenStore = (options?: { embed?: StoreEmbedder; beside?: LearnedStore }) => Promise<LearnedStore>

/** What every driver of learned memory keeps to. */
export function testStore(name: string, open: OpenStore): void {
  const told = (behaviour: string) => `${name}: ${behaviour}`
  testReading(told, open)
  testCommitting(told, open)
  testUpdates(told, open)
  testProposals(told, open)
  testLedger(told, open)
  testUpkeep(told, open)
  testForgetting(told, open)
  testEdits(told, open)
  testSharing(told, open)
}

function testReading(told: (behaviour: string) => string, open: OpenStore): void {
  const position = { offset: 120, line: 3, stamp: "120-7", carried: '{"cwd":"/one"}' }

  test(told("an empty store answers every query"), async () => {
    const store = await open()
    expect(await store.projects()).toEqual([])
    expect(await store.version("p-one")).toBe(0)
    expect(await store.position("codex", "/t.jsonl")).toBeUndefined()
    expect(await store.unseen("codex", ["a"])).toEqual(new Set(["a"]))
    expect(await store.waiting()).toEqual([])
    expect(await store.memories({})).toEqual([])
    expect(await store.find("m:123456")).toEqual([])
    expect(await store.nearest({ project: "p-one", text: "a", now: minute(0), limit: 5 })).toEqual([])
    expect(await store.baseline("p-one")).toEqual({ episodes: 0, errors: 0, retries: 0 })
    expect(await store.sinceEvaluation("p-one")).toEqual({ episodes: 0, at: undefined })
    expect((await store.counts()).episodes).toEqual({ processed: 0, waiting: 0, parked: 0, skipped: 0 })
  })

  test(told("a project is known by its roots, the first of them first"), async () => {
    const store = await open()
    for (const root of ["/one", "/worktree", "/one", "/worktree"]) await store.registerProject("p-one", root)
    expect(await store.projects()).toEqual([{ id: "p-one", root: "/one", aliases: ["/worktree"] }])
  })

  test(
    told("memories of a checkout move with it if the user's settings say so, also for clients that know its old id"),
    async () => {
      const store = await open()
      await store.registerProject("p-old", "/one", { gitFolder: "folder 7" })
      await store.takeIn(testIntake({ episodes: [testEpisode("a", { project: "p-old" })] }))
      await store.commit(testCommit("a", [{ ...addition, key: "project.db.engine", kind: "invariant" }]))
      const marks = { gitFolder: "folder 7", formerly: "any" }
      expect(await store.registerProject("p-new", "/one", marks)).toBe("p-new")
      expect(await store.projects()).toEqual([{ id: "p-new", root: "/one", aliases: [] }])
      for (const id of ["p-old", "p-new"]) {
        expect(await store.memories({ project: id })).toMatchObject([{ project: "p-new" }])
        expect(await store.sinceEvaluation(id)).toMatchObject({ episodes: 1 })
      }
      expect(await store.registerProject("p-old", "/elsewhere", { gitFolder: "folder 8" })).toBe("p-new")
    },
  )

  test(
    told("a checkout whose remote or name changed leaves its memories where they were, and this is shown"),
    async () => {
      const store = await open()
      await store.registerProject("p-old", "/one", { gitFolder: "folder 7" })
      await store.takeIn(testIntake({ episodes: [testEpisode("a", { project: "p-old" })] }))
      await store.commit(testCommit("a", [addition]))
      await store.registerProject("p-known", "/two", { gitFolder: "folder 9" })
      for (const id of ["p-new", "p-known"]) {
        expect(await store.registerProject(id, "/one", { gitFolder: "folder 7", formerly: "p-other" })).toBe(id)
        expect(await store.memories({ project: id })).toEqual([])
        expect(await store.formerProjects(id, "/one", "folder 7")).toEqual([{ id: "p-old", memories: 1 }])
      }
      expect(await store.memories({ project: "p-old" })).toHaveLength(1)
      expect(await store.formerProjects("p-new", "/one", "folder 8")).toEqual([])
    },
  )

  test(
    told("a repository that gets its first remote keeps its memories, unless others have that remote already"),
    async () => {
      const store = await open()
      const first = { gitFolder: "folder 7", formerly: "p-old" }
      await store.registerProject("p-old", "/one", { gitFolder: "folder 7" })
      await store.takeIn(testIntake({ episodes: [testEpisode("a", { project: "p-old" })] }))
      await store.commit(testCommit("a", [addition]))
      await store.registerProject("p-known", "/two", { gitFolder: "folder 9" })
      await store.registerProject("p-known", "/one", first)
      expect(await store.memories({ project: "p-known" })).toEqual([])
      await store.registerProject("p-new", "/one", first)
      expect(await store.memories({ project: "p-new" })).toHaveLength(1)
    },
  )

  test(told("an id in a repository's own settings counts only for the checkout that is known by it"), async () => {
    const store = await open()
    await store.registerProject("p-named", "/one", { gitFolder: "folder 7" })
    const register = (root: string, gitFolder: string) =>
      store.registerProject("p-scoped", root, { gitFolder, legacy: "p-named" })
    expect(await register("/one", "folder 7")).toBe("p-named")
    expect(await register("/one", "folder 8")).toBe("p-scoped")
    expect(await register("/elsewhere", "folder 7")).toBe("p-scoped")
  })

  test(told("another repository at the same path has separate memories"), async () => {
    const store = await open()
    await store.registerProject("p-old", "/one", { gitFolder: "folder 7" })
    await store.takeIn(testIntake({ episodes: [testEpisode("a", { project: "p-old" })] }))
    await store.commit(testCommit("a", [addition]))
    expect(await store.registerProject("p-new", "/one", { gitFolder: "folder 8", formerly: "any" })).toBe("p-new")
    expect(await store.memories({ project: "p-new" })).toEqual([])
  })

  test(
    told(
      "position, record ids, open task and episodes of a batch are stored in one transaction, and repeated without effect",
    ),
    async () => {
      const store = await open()
      const episode = testEpisode("a", { continuationOf: "ep-before" })
      const openTask = {
        client: "claude-code" as const,
        session: "s",
        project: "p-one",
        transcript: "/t.jsonl",
        events: [testEvent({ id: "r9", summary: "日本語 🦊", contexts: ["t-1"], is_error: true, exit_code: 1 })],
        continuationOf: episode.id,
      }
      const intake = testIntake({ read: { position, seen: ["r1", "r9"] }, open: [openTask], episodes: [episode] })
      for (let time = 0; time < 2; time++) {
        await store.takeIn(intake)
        expect(await store.position("claude-code", "/t.jsonl")).toEqual(position)
        expect(await store.unseen("claude-code", ["r1", "r2", "r9"])).toEqual(new Set(["r2"]))
        expect(await store.openTasks()).toEqual([openTask])
        expect(await store.waiting()).toEqual([episode])
      }
      expect(await store.unseen("codex", ["r1"])).toEqual(new Set(["r1"]))
      expect(await store.position("claude-code", "/t.jsonl", "other")).toBeUndefined()
      expect(await store.openTasks({ client: "claude-code", session: "s" })).toEqual([openTask])
      expect(await store.openTasks({ client: "codex", session: "s" })).toEqual([])
      await store.takeIn(testIntake({ open: [{ ...openTask, events: [] }] }))
      expect(await store.openTasks()).toEqual([])
    },
  )

  test(told("a batch is stored whole or not at all"), async () => {
    const store = await open()
    const bad = { ...testEpisode("b"), flushReason: "boredom" as never }
    await expect(
      store.takeIn(testIntake({ read: { position, seen: ["r1"] }, episodes: [testEpisode("a"), bad] })),
    ).rejects.toThrow()
    expect(await store.position("claude-code", "/t.jsonl")).toBeUndefined()
    expect(await store.unseen("claude-code", ["r1"])).toEqual(new Set(["r1"]))
    expect(await store.waiting()).toEqual([])
  })

  test(told("each session of a database has its own position"), async () => {
    const store = await open()
    await store.takeIn(testIntake({ read: { client: "opencode", path: "/o.db", session: "one", position } }))
    expect(await store.position("opencode", "/o.db", "one")).toEqual(position)
    expect(await store.position("opencode", "/o.db")).toBeUndefined()
  })

  test(told("episodes wait session by session, the oldest session first, each from its beginning"), async () => {
    const store = await open()
    const at = (session: string, id: string, start: number) =>
      testEpisode(id, { session, start: minute(start), end: minute(start + 1) })
    await store.takeIn(testIntake({ episodes: [at("late", "c", 5), at("late", "d", 50)] }))
    await store.takeIn(
      testIntake({
        episodes: [at("early", "a", 1), at("early", "b", 90), { ...at("other", "x", 0), project: "p-two" }],
      }),
    )
    const order = async (options = {}) => (await store.waiting(options)).map(({ id }) => id.at(-1)).join("")
    expect(await order()).toBe("xabcd")
    expect(await order({ project: "p-one" })).toBe("abcd")
    expect(await order({ project: "p-one", limit: 2 })).toBe("ab")
  })

  test(told("a project's sessions are returned with their episodes, the last one first"), async () => {
    const store = await open()
    const episode = (id: string, session: string, from: number, given: Partial<Episode> = {}) =>
      testEpisode(id, { session, start: minute(from), end: minute(from + 5), ...given })
    const episodes = [
      episode("a1", "a", 0),
      episode("b1", "b", 10, { client: "codex" }),
      episode("a2", "a", 20),
      episode("other", "c", 30, { project: "p-two" }),
      episode("notes", "d", 30, { client: "drey" }),
    ]
    const task = {
      client: "codex" as const,
      session: "b",
      project: "p-one",
      transcript: "/t.jsonl",
      events: [testEvent()],
    }
    await store.takeIn(testIntake({ episodes, open: [task] }))
    const idsOf = async (filter: SessionFilter) =>
      (await store.clientSessions("p-one", filter)).map((each) => each.episodes.map(({ id }) => id.slice(-2)))
    expect(await idsOf({ limit: 9 })).toEqual([["a1", "a2"], ["b1"]])
    expect(await idsOf({ limit: 1 })).toEqual([["a1", "a2"]])
    expect(await idsOf({ limit: 9, since: minute(20) })).toEqual([["a1", "a2"]])
    expect(await idsOf({ limit: 9, of: { client: "codex", sessions: [] } })).toEqual([["b1"]])
    expect(await idsOf({ limit: 9, of: { client: "kane", sessions: ["a", "c"] } })).toEqual([["a1", "a2"]])
    expect(await store.clientSessions("p-none", { limit: 9 })).toEqual([])
    expect(await store.openTasks({ project: "p-one" })).toEqual([task])
    expect(await store.openTasks({ project: "p-two" })).toEqual([])
  })

  test(
    told("an episode for which no writer was available keeps waiting, and is parked after three attempts"),
    async () => {
      const store = await open()
      const { id } = testEpisode("a")
      await store.takeIn(testIntake({ episodes: [testEpisode("a")] }))
      for (const attempts of [1, 2, 3]) {
        expect(await store.waiting()).toHaveLength(1)
        expect(await store.postpone(id, "down")).toBe(attempts)
      }
      expect(await store.waiting()).toEqual([])
      expect(await store.waiting({ parked: true })).toHaveLength(1)
      expect((await store.counts("p-one")).episodes).toMatchObject({ waiting: 0, parked: 1 })
      expect(await store.episode(id)).toMatchObject({ attempts: 3, processed: false })
      expect(await store.commit(testCommit("a", []))).toEqual({ kind: "committed", outcomes: [] })
      expect((await store.counts("p-one")).episodes).toMatchObject({ parked: 0, processed: 1 })
    },
  )

  test(told("a skipped episode is processed, with the reason, and stays so"), async () => {
    const store = await open()
    const { id } = testEpisode("a")
    await store.takeIn(testIntake({ episodes: [testEpisode("a")] }))
    await store.skip(id, "only reads", nothingSettled, minute(31))
    await store.skip(id, "another reason", { uses: [], injected: true }, minute(32))
    expect(await store.episode(id)).toMatchObject({ processed: true, skipReason: "only reads" })
    expect(await store.commit(testCommit("a", [addition]))).toEqual({ kind: "already" })
    expect((await store.counts()).episodes).toEqual({ processed: 0, waiting: 0, parked: 0, skipped: 1 })
    expect(await store.baseline("p-one")).toMatchObject({ episodes: 1 })
  })
}

const addition = {
  op: "ADD" as const,
  scope: "project" as const,
  owner: { type: "user" as const, id: "kim" },
  kind: "pattern" as const,
  tier: "short_term" as const,
  polarity: 1 as const,
  text: "Migrations run before the tests.",
  confidence: 0.9,
  evidence: { source: "explicit_statement" as const, frustration: "none" as const },
}
