import { expect, test } from "vitest"
import type { Decision, LearnedStore } from "../learned-store.ts"
import { add, handedOut, learn, learnOne, minute, settledUse, testTask, wordEmbedder } from "../test-store.ts"
import type { OpenStore } from "./store-contract.ts"

/** Finding, judging, forgetting and bringing in memories. */
export function testUpkeep(told: (behaviour: string) => string, open: OpenStore): void {
  const decide = async (store: LearnedStore, id: string, given: Partial<Decision> = {}): Promise<Decision> => {
    const [memory] = await store.find(id)
    if (!memory) throw new Error(`there is no ${id}`)
    const { version, status, tier, expires, flags } = memory
    return { memory: id, version, result: "promote", status, tier, expires, flags, reason: "earned", ...given }
  }

  test(
    told("the nearest are active, unexpired, of the project or global, and the filter applies before the limit"),
    async () => {
      const store = await open({ embed: wordEmbedder })
      const text = "Restart the worker queue after a deploy"
      for (let at = 0; at < 30; at++) await learnOne(store, `other ${at}`, add(`${text} ${at}`), { project: "p-two" })
      await learnOne(store, "mine", add(`${text} of the billing service, which also needs its cache to be warmed`))
      await learnOne(store, "global", add("Prefer restarting queues by hand", { scope: "global" }))
      await learnOne(store, "expired", add(text, { ttlDays: 1 }))
      const ask = async (now: string, limit = 3) =>
        (await store.nearest({ project: "p-one", text, now, limit })).map(({ memory }) => memory.text.slice(0, 12))
      expect(await ask(minute(40))).toEqual(["Restart the ", "Restart the ", "Prefer resta"])
      expect(await ask(minute(31, "2026-03-02"))).toEqual(["Restart the ", "Prefer resta"])
      expect(await ask(minute(40), 1)).toEqual(["Restart the "])
    },
  )

  test(told("similarity is the cosine of the directions, whatever the lengths of the vectors"), async () => {
    const store = await open({ embed: wordEmbedder })
    const id = await learnOne(store, "a", add("moss owl"))
    await learnOne(store, "b", add("moss"))
    const [nearest] = await store.nearest({ project: "p-one", text: "moss owl ".repeat(50), now: minute(31), limit: 2 })
    expect(nearest?.memory.id).toBe(id)
    expect(nearest?.similarity).toBeCloseTo(1, 2)
  })

  test(told("without an embedder, shared words make texts similar"), async () => {
    const store = await open()
    await learn(store, "a", [add("The linter config lives in biome.json"), add("Deploys go through the release train")])
    const [nearest, far] = await store.nearest({
      project: "p-one",
      text: "where is the linter config",
      now: minute(31),
      limit: 2,
    })
    expect(nearest?.memory.text).toContain("linter")
    expect(far?.similarity).toBe(0)
    expect(
      await store.nearest({ project: "p-one", text: "linter config", now: minute(31), limit: 2, atLeast: 0.35 }),
    ).toHaveLength(1)
  })

  test(told("an error, a key, a command, a file or a tool finds a memory with other words"), async () => {
    const store = await open({ embed: wordEmbedder })
    const trigger = {
      tools: ["mcp__db__query"],
      heads: ["cargo build"],
      paths: ["src/db.ts"],
      fingerprints: ["linker not found"],
    }
    await learn(store, "a", [add("Install lld.", { kind: "invariant", key: "project.package_manager" })], {
      commit: { trigger },
    })
    await learn(store, "b", [add("Keep handlers thin.", { scope: "repo_path", pathPrefix: "src/api" })])
    const by = async (query: Partial<Parameters<LearnedStore["nearest"]>[0]>) => {
      const near = await store.nearest({
        project: "p-one",
        text: "zzz",
        now: minute(31),
        limit: 5,
        atLeast: 0.9,
        ...query,
      })
      return near.map((each) => [each.memory.text, each.by])
    }
    expect(await by({})).toEqual([])
    expect(await by({ fingerprints: ["linker not found"], heads: ["cargo build"] })).toEqual([
      ["Install lld.", ["fingerprint", "head"]],
    ])
    expect(await by({ text: "which package manager do we have" })).toEqual([["Install lld.", ["key"]]])
    expect(await by({ text: "which manager do we have" })).toEqual([])
    expect(await by({ tools: ["mcp__db__query"] })).toEqual([["Install lld.", ["tool"]]])
    expect(await by({ paths: ["src/db.ts"] })).toEqual([["Install lld.", ["path"]]])
    expect(await by({ paths: ["src/api/users.ts"] })).toEqual([["Keep handlers thin.", ["path"]]])
    expect(await by({ text: "Keep handlers thin.", paths: ["src/apiary.ts"] })).toEqual([])
    expect(await by({ text: "Keep handlers thin." })).toEqual([["Keep handlers thin.", ["meaning"]]])
  })

  test(told("memories are listed by project, status, kind, tier and owner"), async () => {
    const store = await open()
    await learn(store, "a", [
      add("One"),
      add("Two", { kind: "note", tier: "long_term" }),
      add("Everywhere", { scope: "global" }),
    ])
    await learn(store, "b", [add("Elsewhere")], {
      episode: { project: "p-two" },
      commit: { owner: { type: "user", id: "lee" } },
    })
    const texts = async (filter: Parameters<LearnedStore["memories"]>[0]) =>
      (await store.memories(filter)).map(({ text }) => text).sort()
    expect(await texts({ project: "p-one" })).toEqual(["Everywhere", "One", "Two"])
    expect(await texts({ project: "p-two" })).toEqual(["Elsewhere", "Everywhere"])
    expect(await texts({ kinds: ["note"] })).toEqual(["Two"])
    expect(await texts({ tiers: ["short_term"], project: "p-one" })).toEqual(["Everywhere", "One"])
    expect(await texts({ owner: { type: "user", id: "lee" } })).toEqual(["Elsewhere"])
    expect(await texts({ statuses: ["active"] })).toEqual([])
    expect(await texts({ statuses: [] })).toEqual([])
  })

  test(told("a decision is applied once, with its reason, and not to a memory that has changed since"), async () => {
    const store = await open()
    const [one, other] = [await learnOne(store, "a", add("One")), await learnOne(store, "b", add("Two"))]
    const promote = await decide(store, one, { status: "active", tier: "long_term", expires: undefined })
    const stale = await decide(store, other, { result: "deprecate", status: "deprecated" })
    await store.setPinned(other, true, minute(35))
    expect(await store.applyDecisions("p-one", [promote, stale], minute(40))).toEqual([promote])
    expect(await store.applyDecisions("p-one", [promote], minute(41))).toEqual([])
    expect(await store.find(one)).toMatchObject([
      {
        status: "active",
        tier: "long_term",
        expires: undefined,
        updated: minute(40),
        metrics: { lastEvaluated: minute(41) },
      },
    ])
    expect(await store.find(other)).toMatchObject([{ status: "provisional", pinned: true }])
    expect((await store.history(one)).audit.at(-1)).toMatchObject({
      action: "promote",
      reason: "earned",
      ts: minute(40),
    })
  })

  test(told("memories are paged in order of creation"), async () => {
    const store = await open()
    for (const text of ["One", "Two", "Three", "Four", "Five"]) await learnOne(store, text, add(`${text} and only`))
    const all = await store.memories({})
    const first = await store.memories({ limit: 2 })
    const [, after] = first
    if (!after) throw new Error("there is no page")
    const second = await store.memories({ limit: 2, after })
    const last = await store.memories({ after: second[1] ?? after })
    expect([first.length, second.length, last.length]).toEqual([2, 2, 1])
    expect([...first, ...second, ...last]).toEqual(all)
  })

  test(told("an evaluation is recorded, even if it changed nothing"), async () => {
    const store = await open()
    await learn(store, "a", [add("One")])
    await store.applyDecisions("p-one", [], minute(40))
    expect(await store.sinceEvaluation("p-one")).toMatchObject({ episodes: 0, at: minute(40) })
    await learn(store, "b", [])
    await learn(store, "c", [], { episode: { project: "p-two" } })
    expect(await store.sinceEvaluation("p-one")).toMatchObject({ episodes: 1, at: minute(40) })
    expect((await store.memories({}))[0]?.metrics.lastEvaluated).toBe(minute(40))
  })

  test(
    told("the version of a project changes with its memories and with global ones, and not with others or with uses"),
    async () => {
      const store = await open()
      const id = await learnOne(store, "a", add("One"))
      await learn(store, "b", [], { episode: { project: "p-two" } })
      const changes = async (project: string, act: () => Promise<unknown>) => {
        const before = await store.version(project)
        await act()
        return (await store.version(project)) !== before
      }
      expect(await changes("p-two", () => learn(store, "c", [add("Two")]))).toBe(false)
      expect(await changes("p-two", () => learn(store, "d", [add("Everywhere", { scope: "global" })]))).toBe(true)
      expect(
        await changes("p-one", () => learn(store, "e", [add("Elsewhere")], { episode: { project: "p-two" } })),
      ).toBe(false)
      expect(await changes("p-one", () => learn(store, "f", [add("one")]))).toBe(true)
      expect(await changes("p-one", () => store.setPinned(id, true, minute(50)))).toBe(true)
      expect(await changes("p-one", () => store.recordTask(testTask("t-1", { memories: [handedOut(id)] })))).toBe(false)
      expect(await changes("p-one", () => store.forget([id], { purge: true, reason: "", now: minute(51) }))).toBe(true)
      expect(await changes("p-one", () => store.forget([id], { purge: true, reason: "", now: minute(52) }))).toBe(false)
    },
  )

  test(
    told(
      "a forgotten memory ends; a purged one is removed with its evidence, uses and history, and its id stays taken",
    ),
    async () => {
      const store = await open()
      const [forgotten, purged] = [await learnOne(store, "a", add("One")), await learnOne(store, "b", add("Two"))]
      const [copy] = await store.find(purged)
      await store.recordTask(testTask("t-1", { session: "s", memories: [handedOut(purged)] }))
      expect(await store.forget([forgotten], { purge: false, reason: "not true", now: minute(40) })).toEqual([
        forgotten,
      ])
      expect(await store.forget([forgotten], { purge: false, reason: "again", now: minute(41) })).toEqual([])
      expect(await store.forget([purged], { purge: true, reason: "private", now: minute(42) })).toEqual([purged])
      expect(await store.find(forgotten)).toMatchObject([{ status: "deprecated" }])
      expect((await store.history(forgotten)).audit.at(-1)).toMatchObject({ action: "forgotten", reason: "not true" })
      expect(await store.find(purged)).toEqual([])
      expect(await store.history(purged)).toEqual({ evidence: [], uses: [], audit: [] })
      expect(
        await store.tasksOf({
          ...(await store.waiting())[0],
          session: "s",
          events: [],
          project: "p-one",
          start: minute(0),
          end: minute(1),
          id: "ep",
        } as never),
      ).toMatchObject([{ task: "t-1", uses: [] }])
      expect(await store.importMemories(copy ? [copy] : [], minute(43))).toEqual([])
      await learn(store, "c", [], {
        commit: { settlement: { injected: true, uses: [settledUse(purged, "t-1", { hit: true })] } },
      })
    },
  )

  test(told("imported memories are unchanged, with the lowest trust, and without their earlier record"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("One", { kind: "invariant", key: "project.db.engine" }))
    const [known] = await store.find(id)
    if (!known) throw new Error("nothing was learned")
    const theirs = {
      ...known,
      id: "m-00000000000000aa",
      text: "Theirs",
      key: undefined,
      project: "p-three",
      status: "active" as const,
      contributedBy: "member-7",
      sourceMemory: "m-0000000000000011",
      metrics: { ...known.metrics, hits: 9 },
    }
    const clashing = { ...known, id: "m-00000000000000bb", text: "Another engine" }
    const secret = { ...theirs, id: "m-00000000000000cc", text: `token ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}` }
    expect(await store.importMemories([known, theirs, clashing, secret], minute(50))).toEqual([theirs.id])
    expect(await store.importMemories([theirs], minute(51))).toEqual([])
    expect(await store.find(theirs.id)).toMatchObject([
      {
        text: "Theirs",
        project: "p-three",
        status: "active",
        origin: "import",
        trust: 0,
        contributedBy: "member-7",
        sourceMemory: "m-0000000000000011",
        metrics: { hits: 0 },
        evidence: 0,
      },
    ])
  })

  test(told("items are counted, for one project or for all"), async () => {
    const store = await open()
    await learn(store, "a", [add("One"), add("Two", { kind: "note" })])
    await learn(store, "b", [add("Three")], { episode: { project: "p-two" } })
    expect(await store.counts("p-one")).toMatchObject({
      memories: { provisional: 2, active: 0 },
      kinds: { pattern: 1, note: 1 },
      episodes: { processed: 1 },
      transcripts: 1,
    })
    expect(await store.counts()).toMatchObject({
      memories: { provisional: 3 },
      episodes: { processed: 2 },
      transcripts: 2,
      openTasks: 0,
    })
  })
}
