import { expect, test } from "vitest"
import type { MemoryEdit } from "./learned-store.ts"
import type { OpenStore } from "./store-contract.ts"
import { add, learnOne, minute, testTask, wordEmbedder } from "./test-store.ts"

/** What a person changes in memories, and takes back. */
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

  test(told("better words of a person's go on where the old ones were and win no trust"), async () => {
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

  test(told("what a person states in the place of a memory is trusted as such, and on trial"), async () => {
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

  test(told("better words of what somebody shared are still theirs; what a person states instead is not"), async () => {
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

  test(told("an edit of a version that is past changes nothing, and what has ended is left alone"), async () => {
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

  test(told("words that the gate refuses, or that another memory has, are not taken"), async () => {
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

  test(told("every edit can be taken back once, while nothing else has happened to its memory"), async () => {
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

  test(
    told("a key is free for the words that take the place of those that had it, and comes back with them"),
    async () => {
      const keyed = add("The tests need Node 20", { kind: "invariant", key: "project.test.node" })
      const { store, id, read, edit } = await openWith(keyed)
      const outcome = await edit({ kind: "replace", text: "The tests need Node 22", reason: "new", expires: undefined })
      if (outcome.kind !== "done") throw new Error(outcome.kind)
      expect(await read(outcome.id)).toMatchObject({ key: "project.test.node" })
      await store.undoEdit("p-one", outcome.edit, minute(41))
      expect(await read(id)).toMatchObject({ key: "project.test.node", status: "provisional" })
    },
  )
}
