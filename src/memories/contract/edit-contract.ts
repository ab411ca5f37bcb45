import { expect, test } from "vitest"
import type { MemoryEdit } from "../learned-store.ts"
import {
  add,
  handedOut,
  learn,
  learnOne,
  minute,
  testCommit,
  testEpisode,
  testEvent,
  testIntake,
  testTask,
  update,
  wordEmbedder,
} from "../test-store.ts"
import type { OpenStore } from "./store-contract.ts"

/** The user's edits of memories, and undoing them. */
export function testEdits(told: (behaviour: string) => string, open: OpenStore): void {
  const fact = add("Run the tests with the database up", {
    evidence: { source: "pattern_observed", frustration: "none" },
  })

  const openWith = async (operation = fact) => {
    const store = await open({ embed: wordEmbedder })
    const id = await learnOne(store, "a", operation)
    const read = async (name = id) => {
      const [memory] = await store.find(name)
      if (!memory) throw new Error(`there is no ${name}`)
      return memory
    }
    const edit = async (change: MemoryEdit, version?: number) =>
      store.editMemory({ id, version: version ?? (await read()).version }, change, minute(40))
    return { store, id, read, edit }
  }

  test(told("a user's rewording keeps the memory's record and gains no trust"), async () => {
    const { store, id, read, edit } = await openWith()
    await store.recordTask(testTask("t-1", { memories: [{ id, injected: true, rank: 1, score: 1 }] }))
    const old = await read()
    const outcome = await edit({ kind: "reword", text: "Run the tests with the database container up" })
    if (outcome.kind !== "done") throw new Error(outcome.kind)
    expect(await read(outcome.id)).toMatchObject({
      text: "Run the tests with the database container up",
      derivedFrom: id,
      ...{ status: old.status, trust: old.trust, origin: old.origin, evidence: old.evidence, created: old.created },
      metrics: { useCount: 1 },
    })
    expect(await read()).toMatchObject({ status: "deprecated" })
    expect((await store.history(id)).audit.at(-1)).toMatchObject({
      action: "reworded",
      reason: `reworded as ${outcome.id}`,
    })
  })

  test(told("a user's replacement of a memory is trusted as the user's, and on trial"), async () => {
    const { id, read, edit } = await openWith()
    const edited = await edit({ kind: "replace", text: "Mock the database", reason: "Too slow", expires: minute(90) })
    if (edited.kind !== "done") throw new Error(edited.kind)
    expect(await read(edited.id)).toMatchObject({
      ...{ text: "Mock the database", origin: "user", trust: 3, status: "provisional", expires: minute(90) },
      derivedFrom: undefined,
      evidence: 0,
    })
    expect(await read(id)).toMatchObject({ status: "deprecated" })
  })

  test(told("a rewording of a shared memory is still its contributor's; a user's replacement is not"), async () => {
    const { store, id, read } = await openWith()
    const shared = { contributedBy: "member-7", sourceMemory: id }
    const copy = { ...(await read()), id: "m-00000000000000aa", text: "Theirs", ...shared }
    await store.importMemories([copy], minute(39))
    const edited = async (name: string, change: MemoryEdit) => {
      const outcome = await store.editMemory(await read(name), change, minute(40))
      return outcome.kind === "done" ? read(outcome.id) : undefined
    }
    const better = await edited(copy.id, { kind: "reword", text: "Theirs, said better" })
    expect(better).toMatchObject(shared)
    const other = { kind: "replace" as const, text: "Something else", reason: "wrong", expires: undefined }
    expect(await edited(better?.id ?? "", other)).toMatchObject({ contributedBy: undefined, sourceMemory: undefined })
  })

  test(told("an edit of an outdated version changes nothing, and an ended memory is not changed"), async () => {
    const { read, edit } = await openWith()
    const { version } = await read()
    await edit({ kind: "pin", pinned: true })
    const pinned = await read()
    expect(await edit({ kind: "reword", text: "Other words" }, version)).toEqual({ kind: "changed" })
    expect(await edit({ kind: "forget", reason: "no" }, version)).toEqual({ kind: "changed" })
    expect(await read()).toEqual(pinned)
    await edit({ kind: "forget", reason: "no" })
    expect(await edit({ kind: "pin", pinned: false })).toEqual({ kind: "refused", reason: "it is no longer active" })
  })

  test(told("a text that governance refuses, or that another memory has, is not accepted"), async () => {
    const { store, read, edit } = await openWith()
    const other = await learnOne(store, "b", add("Use pnpm for everything"))
    const before = await read()
    const secret = ["pass", "word=hunter2-Tr0ub4dor"].join("")
    expect(await edit({ kind: "reword", text: secret })).toMatchObject({
      kind: "refused",
      reason: "the text contains a secret: credential-like assignment",
    })
    const twin = await edit({ kind: "replace", text: "use pnpm for everything", reason: "", expires: undefined })
    expect(twin).toEqual({ kind: "refused", reason: `same as ${other}` })
    expect(await read()).toEqual(before)
  })

  test(told("every edit can be undone once, while nothing else has happened to its memory"), async () => {
    const edits: MemoryEdit[] = [
      { kind: "reword", text: "Run the tests with the database container up" },
      { kind: "replace", text: "Mock the database", reason: "Too slow", expires: undefined },
      { kind: "pin", pinned: true },
      { kind: "forget", reason: "It is over" },
    ]
    for (const change of edits) {
      const { store, id, read, edit } = await openWith()
      const before = await read()
      const outcome = await edit(change)
      if (outcome.kind !== "done") throw new Error(outcome.kind)
      expect(await store.lastEdit("p-one")).toMatchObject({ edit: outcome.edit, memory: id, ts: minute(40) })
      expect(await store.lastEdit("p-two")).toBeUndefined()
      expect(await store.undoEdit("p-one", outcome.edit + 1, minute(41))).toBeUndefined()
      expect(await store.undoEdit("p-one", outcome.edit, minute(41))).toBe(id)
      const { version: _, updated: __, ...restored } = await read()
      expect(before).toMatchObject(restored)
      if (outcome.id !== id) expect(await read(outcome.id)).toMatchObject({ status: "deprecated" })
      expect((await store.history(id)).audit.at(-1)).toMatchObject({ action: "restored" })
      expect(await store.lastEdit("p-one")).toBeUndefined()
      expect(await store.undoEdit("p-one", outcome.edit, minute(42))).toBeUndefined()
    }
  })

  test(told("a key is free for the replacement of its memory, and is restored by undo"), async () => {
    const keyed = add("The tests need Node 20", { kind: "invariant", key: "project.test.node" })
    const { store, id, read, edit } = await openWith(keyed)
    const outcome = await edit({ kind: "replace", text: "The tests need Node 22", reason: "new", expires: undefined })
    if (outcome.kind !== "done") throw new Error(outcome.kind)
    expect(await read(outcome.id)).toMatchObject({ key: "project.test.node" })
    await store.undoEdit("p-one", outcome.edit, minute(41))
    expect(await read(id)).toMatchObject({ key: "project.test.node", status: "provisional" })
  })
}

/** Memories that the user wants removed: what is left of them, and what is refused. */
export function testForgetting(told: (behaviour: string) => string, open: OpenStore): void {
  const purge = { purge: true, reason: "private", now: minute(60) }

  test(told("the text of a purged memory is removed from its sources, and nothing else is"), async () => {
    const store = await open()
    const text = "Deploy from the zebra cluster only."
    const events = [
      testEvent({ id: "1", line: 1, summary: "Show the sum of all rows" }),
      testEvent({ id: "2", line: 2, summary: "from now on", raw_snippet: "deploy from the zebra cluster only" }),
      testEvent({ id: "3", line: 3, role: "assistant", summary: `Understood: ${text}` }),
      testEvent({
        id: "4",
        line: 4,
        role: "tool",
        kind: "tool_result",
        summary: "ok",
        command: "make",
        head: "make",
      }),
    ]
    const evidence = { source: "explicit_statement" as const, frustration: "none" as const, event: 1 }
    const [id, other] = (
      await learn(store, "a", [add(text, { evidence }), add("Use pnpm", { evidence })], { episode: { events } })
    ).map((outcome) => ("id" in outcome ? outcome.id : ""))
    expect(await store.forget([id ?? ""], purge)).toEqual([id])
    const left = await store.episode(testEpisode("a").id)
    expect(left?.events.map(({ summary }) => summary)).toEqual(["Show the sum of all rows", "", "", "ok"])
    expect(left?.events[3]).toMatchObject({ command: "make", head: "make" })
    expect((await store.history(other ?? "")).evidence).toMatchObject([{ quote: "", line: 2 }])
    expect(JSON.stringify(left)).not.toContain("zebra")
  })

  test(told("purging a memory also removes the text that it refined"), async () => {
    const store = await open({ embed: wordEmbedder })
    const text = "Run the integration tests with the database container up and migrated"
    const old = await learnOne(store, "a", add(text))
    const id = await learnOne(store, "b", update(old, `${text} and seeded`))
    expect(await store.forget([id], purge)).toEqual([id])
    expect(await store.memories({})).toEqual([])
    expect(await learn(store, "c", [add(text)])).toEqual([{ kind: "dropped", reason: "the user has forgotten it" }])
  })

  test(told("an import with a secret or an invalid value in its key or path is skipped"), async () => {
    const store = await open()
    const [known] = await store.find(await learnOne(store, "a", add("One")))
    if (!known) throw new Error("nothing was learned")
    const token = `ghp_${"a1b2c3d4e5".repeat(4).slice(0, 36)}`
    const place = { scope: "repo_path" as const }
    const imports = [
      { key: `project.${token}` },
      { key: "anything" },
      { ...place, pathPrefix: `src/${token}` },
      { ...place, pathPrefix: "../x" },
      { ...place, pathPrefix: "src\\web\\", key: "Project.Test.Command" },
    ].map((given, at) => ({ ...known, text: `Text ${at}`, id: `m-00000000000000b${at}`, ...given }))
    expect(await store.importMemories(imports, minute(50))).toEqual(["m-00000000000000b4"])
    expect(await store.find("m-00000000000000b4")).toMatchObject([
      { pathPrefix: "src/web", key: "project.test.command" },
    ])
  })
}

/** Several processes or handles that share a store. */
export function testSharing(told: (behaviour: string) => string, open: OpenStore): void {
  test(told("values with quotes and SQL in them are values"), async () => {
    const store = await open()
    const nasty = `'; DROP TABLE memories; -- "%_\\ ? :id $1`
    await store.registerProject(nasty, nasty)
    const [outcome] = await learn(store, nasty, [add(nasty, { scope: "repo_path", pathPrefix: "a';--/b" })], {
      episode: { project: nasty, session: nasty, transcript: nasty },
      commit: { owner: { type: "user", id: nasty } },
    })
    await store.recordTask(testTask(nasty, { project: nasty, session: nasty, taskHash: nasty, agent: nasty }))
    expect(outcome).toMatchObject({ kind: "added" })
    expect(
      await store.memories({ project: nasty, owner: { type: "user", id: nasty }, episode: testEpisode(nasty).id }),
    ).toMatchObject([{ text: nasty, pathPrefix: "a';--/b" }])
    expect(await store.find(nasty)).toEqual([])
    expect(await store.memories({ project: "' OR 1=1 --" })).toEqual([])
    expect(await store.tasksOf(testEpisode("x", { project: nasty, session: nasty }))).toHaveLength(1)
  })

  test(told("two handles see each other's work at once"), async () => {
    const one = await open()
    const other = await open({ beside: one })
    const id = await learnOne(one, "a", add("One"))
    expect(await other.find(id)).toHaveLength(1)
    await other.recordTask(testTask("t-1", { memories: [handedOut(id)] }))
    expect((await one.find(id))[0]?.metrics.useCount).toBe(1)
  })

  test(told("an episode that two commit at the same time is committed once"), async () => {
    const one = await open()
    const other = await open({ beside: one })
    await one.takeIn(testIntake({ episodes: [testEpisode("a")] }))
    const commit = testCommit("a", [add("One"), add("Two", { kind: "note" })])
    const outcomes = await Promise.all([one, other, one, other].map((store) => store.commit(commit)))
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["already", "already", "already", "committed"])
    expect(await one.memories({})).toHaveLength(2)
    expect(await other.sinceEvaluation("p-one")).toMatchObject({ episodes: 1 })
  })

  test(told("concurrent writers lose nothing"), async () => {
    const one = await open()
    const other = await open({ beside: one })
    const id = await learnOne(one, "a", add("One"))
    const tasks = Array.from({ length: 12 }, (_, at) => testTask(`t-${at % 6}`, { memories: [handedOut(id)] }))
    const batches = Array.from({ length: 8 }, (_, at) =>
      testIntake({ episodes: [testEpisode(`b${at}`, { session: "shared", start: minute(at) })] }),
    )
    await Promise.all([
      ...tasks.map((task, at) => (at % 2 === 0 ? one : other).recordTask(task)),
      ...batches.map((intake, at) => (at % 2 === 0 ? one : other).takeIn(intake)),
    ])
    expect((await one.find(id))[0]?.metrics.useCount).toBe(6)
    expect(await other.waiting()).toHaveLength(8)
  })

  test(told("vectors of two models are never compared: words decide if one of this model is missing"), async () => {
    const one = await open({ embed: wordEmbedder })
    await learn(one, "a", [add("moss and owl")])
    const opposite = { id: "opposite", vector: (text: string) => wordEmbedder.vector(text).map((value) => -value) }
    const other = await open({ embed: opposite, beside: one })
    const [near] = await other.nearest({ project: "p-one", text: "moss and owl", now: minute(31), limit: 1 })
    expect(near?.similarity).toBe(1)
  })

  test(told("memories from before there was an embedder are compared by it after the next commit"), async () => {
    const plain = await open()
    await learn(plain, "a", [add("moss and owl")])
    const version = await plain.version("p-one")
    const opposite = { id: "opposite", vector: (text: string) => wordEmbedder.vector(text).map((value) => -value) }
    await learn(await open({ embed: wordEmbedder, beside: plain }), "b", [])
    const turned = await open({ embed: { ...opposite, id: wordEmbedder.id }, beside: plain })
    const [near] = await turned.nearest({ project: "p-one", text: "moss and owl", now: minute(31), limit: 1 })
    expect(near?.similarity).toBeLessThan(-0.9)
    expect(await plain.version("p-one")).toBe(version)
  })
}
