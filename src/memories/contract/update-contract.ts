import { expect, test } from "vitest"
import { add, end, learn, learnOne, minute, update, wordEmbedder } from "../test-store.ts"
import type { OpenStore } from "./store-contract.ts"

/** What becomes of memories that a writer updates or ends. */
export function testUpdates(told: (behaviour: string) => string, open: OpenStore): void {
  test(told("a refinement inherits counters, status, tier, pin and evidence"), async () => {
    const store = await open({ embed: wordEmbedder })
    const old = await learnOne(store, "a", add("Run the integration tests with the database container up and migrated"))
    await store.recordTask({
      task: "t-1",
      project: "p-one",
      session: "s",
      agent: undefined,
      taskHash: "h",
      ts: minute(31),
      memories: [{ id: old, injected: true, rank: 1, score: 1 }],
    })
    await store.setPinned(old, true, minute(31))
    const [memory] = await store.find(old)
    const promoted = {
      memory: old,
      version: memory?.version ?? 0,
      result: "promote" as const,
      status: "active" as const,
      tier: "long_term" as const,
      expires: undefined,
      flags: ["graduated"],
      reason: "earned",
    }
    expect(await store.applyDecisions("p-one", [promoted], minute(32))).toHaveLength(1)
    const better = "Run the integration tests with the database container up, migrated and seeded"
    const [outcome] = await learn(store, "b", [update(old, better)])
    expect(outcome).toMatchObject({ kind: "refined", old })
    const [is] = await store.memories({ statuses: ["active", "provisional"] })
    expect(is).toMatchObject({
      text: better,
      status: "active",
      tier: "long_term",
      pinned: true,
      flags: ["graduated"],
      expires: undefined,
      derivedFrom: old,
      evidence: 2,
      metrics: { useCount: 1, opportunities: 1, lastUsed: minute(31) },
    })
    expect((await store.history(is?.id ?? "")).uses).toMatchObject([{ memory: old, task: "t-1" }])
    expect(await store.find(old)).toMatchObject([{ status: "deprecated" }])
  })

  test(told("trust is the lowest of the chain: a rewording does not raise it"), async () => {
    const store = await open({ embed: wordEmbedder })
    const trustOfLine = async (...sources: ("explicit_statement" | "failure_then_success" | "pattern_observed")[]) => {
      const project = sources.join()
      let id: string | undefined
      for (const [at, source] of sources.entries()) {
        const text = `Run the integration tests with the database container up, migrated and seeded${", always".repeat(at)}`
        const operation =
          at === 0
            ? add(text, { evidence: { source, frustration: "none" } })
            : update(id, text, { evidence: { source, frustration: "none" } })
        id = await learnOne(store, `${project} ${at}`, operation, { project })
      }
      const [memory] = await store.find(id ?? "")
      expect(memory?.derivedFrom === undefined).toBe(sources.length === 1)
      return [memory?.origin, memory?.trust]
    }
    expect(await trustOfLine("explicit_statement")).toEqual(["user", 3])
    expect(await trustOfLine("pattern_observed", "explicit_statement")).toEqual(["agent", 1])
    expect(await trustOfLine("failure_then_success", "explicit_statement", "failure_then_success")).toEqual([
      "verified",
      2,
    ])
  })

  test(told("a user's statement is not replaced by a less trusted source, and a pinned one never"), async () => {
    const store = await open({ embed: wordEmbedder })
    const fact = { kind: "invariant" as const, key: "project.test.command" }
    const said = await learnOne(store, "a", add("Tests are started by make check.", fact))
    const inferred = add("It seems that pytest gets invoked directly.", {
      ...fact,
      evidence: { source: "pattern_observed", frustration: "none" },
    })
    expect(await learn(store, "b", [inferred])).toEqual([{ kind: "flagged", id: said, flag: "review" }])
    expect(await store.memories({})).toMatchObject([{ status: "provisional", flags: ["review"] }])
    await store.setPinned(said, true, minute(40))
    expect(await learn(store, "c", [update(said, "Everything moved to bazel.")])).toEqual([
      { kind: "flagged", id: said, flag: "review" },
    ])
    expect(await learn(store, "d", [end(said)])).toEqual([{ kind: "flagged", id: said, flag: "review" }])
    expect(await store.memories({})).toMatchObject([{ id: said, status: "provisional", pinned: true }])
  })

  test(told("a more trusted memory is not reworded either"), async () => {
    const store = await open({ embed: wordEmbedder })
    const text = "Run the integration tests with the database container up and migrated"
    const better = `${text}, and seeded`
    const said = await learnOne(store, "a", add(text))
    const evidence = { source: "pattern_observed" as const, frustration: "none" as const }
    expect(await learn(store, "b", [update(said, better, { evidence })])).toEqual([
      { kind: "flagged", id: said, flag: "review" },
    ])
    expect(await store.memories({})).toMatchObject([{ id: said, text, status: "provisional", flags: ["review"] }])
  })

  test(told("only an equally trusted source ends a memory; otherwise the user is asked"), async () => {
    const store = await open()
    const said = await learnOne(store, "a", add("Never push to main", { kind: "guard" }))
    const seen = await learnOne(
      store,
      "b",
      add("The queue is slow", { evidence: { source: "pattern_observed", frustration: "none" } }),
    )
    const outcomes = await learn(store, "c", [
      end(said, "It was pushed", "pattern_observed"),
      end(said, "It was pushed", "failure_then_success"),
      end(seen, "It is fast", "pattern_observed"),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(["flagged", "flagged", "deprecated"])
    expect(await store.find(said)).toMatchObject([{ status: "provisional", flags: ["review"] }])
    expect((await store.history(said)).audit.at(-1)?.reason).toContain("less trusted")
    expect(await learn(store, "d", [end(said)])).toEqual([{ kind: "deprecated", id: said }])
  })

  test(told("a more trusted memory does not end because a less trusted source repeats a third one"), async () => {
    const store = await open()
    const [said, other] = [await learnOne(store, "a", add("One rule")), await learnOne(store, "b", add("Another rule"))]
    const evidence = { source: "pattern_observed" as const, frustration: "none" as const }
    expect(await learn(store, "c", [update(said, "Another rule", { evidence })])).toEqual([
      { kind: "duplicate", of: other },
    ])
    expect(await store.find(said)).toMatchObject([{ status: "provisional" }])
  })

  test(
    told("an update without a target applies to the fact under its key; without that it is an addition"),
    async () => {
      const store = await open()
      const fact = { kind: "preference" as const, key: "user.pref.naming_convention" }
      const old = await learnOne(store, "a", add("Names are camelCase.", fact))
      expect(await store.find(old)).toMatchObject([{ scope: "global", project: undefined }])
      const [replaced] = await learn(store, "b", [update(undefined, "Constants in capitals, please.", fact)], {
        episode: { project: "p-two" },
      })
      expect(replaced).toMatchObject({ kind: "replaced", old })
      const [added] = await learn(store, "c", [update("m-0000000000000000", "Files are kebab-case.")])
      expect(added).toMatchObject({ kind: "added", note: "no memory to update" })
    },
  )

  test(told("an update of a refined memory applies to its refinement"), async () => {
    const store = await open({ embed: wordEmbedder })
    const old = await learnOne(store, "a", add("Deploys run from the main branch only after the smoke tests"))
    const next = await learnOne(
      store,
      "b",
      update(old, "Deploys run from the main branch only after the smoke tests passed"),
    )
    const [outcome] = await learn(store, "c", [
      update(old, "Deploys run from the main branch only after the smoke tests passed twice"),
    ])
    expect(outcome).toMatchObject({ kind: "refined", old: next })
    expect(await store.memories({ statuses: ["provisional"] })).toHaveLength(1)
  })

  test(told("memories of other owners and projects cannot be changed"), async () => {
    const store = await open()
    const theirs = await learnOne(store, "a", add("Theirs"), { project: "p-two" })
    const [other] = await learn(store, "b", [add("Somebody's")], { commit: { owner: { type: "user", id: "lee" } } })
    const foreign = other && "id" in other ? other.id : ""
    const outcomes = await learn(store, "c", [
      update(theirs, "Mine"),
      end(theirs),
      update(foreign, "Mine too"),
      end(foreign),
      end("m-0000000000000000"),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(["dropped", "dropped", "dropped", "dropped", "dropped"])
    expect(await store.memories({ statuses: ["deprecated"] })).toEqual([])
  })

  test(told("a deprecated memory is no longer similar to anything"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("Use the staging queue"))
    expect(await learn(store, "b", [end(id, "The queue is gone")])).toEqual([{ kind: "deprecated", id }])
    expect(await store.nearest({ project: "p-one", text: "staging queue", now: minute(31), limit: 5 })).toEqual([])
    expect((await store.history(id)).audit.at(-1)).toMatchObject({ action: "deprecated", reason: "The queue is gone" })
  })

  test(told("an update that negates the text, or drops a number of it, starts from zero"), async () => {
    const store = await open({ embed: wordEmbedder })
    const long = "whenever the packages of this large repository are installed on a machine of ours, be it new or old"
    const first = await learnOne(store, "a", add(`Use pnpm and not npm ${long}`))
    const [turned] = await learn(store, "b", [update(first, `Use npm and not pnpm ${long}`)])
    expect(turned).toMatchObject({ kind: "replaced", old: first })
    const second = await learnOne(store, "c", add(`Port 3000 is free ${long}`))
    const [changed] = await learn(store, "d", [update(second, `Port 3001 is free ${long}`)])
    expect(changed).toMatchObject({ kind: "replaced", old: second })
  })

  test(told("an update does not take the key of another fact"), async () => {
    const store = await open()
    const fact = (key: string) => ({ kind: "invariant" as const, key: `project.${key}` })
    const engine = await learnOne(store, "a", add("The database is PostgreSQL.", fact("db.engine")))
    await learnOne(store, "b", add("It is version 16.", fact("db.version")))
    const [outcome] = await learn(store, "c", [update(engine, "We moved to another one.", fact("db.version"))])
    expect(outcome).toMatchObject({ kind: "replaced", old: engine })
    const live = await store.memories({ statuses: ["provisional"] })
    expect(live.map(({ text, key }) => [text, key]).sort()).toEqual([
      ["It is version 16.", "project.db.version"],
      ["We moved to another one.", undefined],
    ])
  })
}
