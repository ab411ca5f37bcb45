import { expect, test } from "vitest"
import { handleOf } from "../../formats/ids.ts"
import {
  add,
  learn,
  learnOne,
  minute,
  noTrigger,
  nothingSettled,
  testCommit,
  testEpisode,
  testEvent,
  testIntake,
  update,
  wordEmbedder,
} from "../test-store.ts"
import type { OpenStore } from "./store-contract.ts"

/** What becomes of a writer's operations. */
export function testCommitting(told: (behaviour: string) => string, open: OpenStore): void {
  test(told("an added memory is on trial at once, with its episode, evidence, trigger and project"), async () => {
    const store = await open()
    const trigger = { tools: ["Bash"], heads: ["npm test"], paths: ["src/db.ts"], fingerprints: ["econnrefused"] }
    const events = [
      testEvent({ line: 4 }),
      testEvent({ line: 9, summary: "No, ", raw_snippet: "Start the database before the tests." }),
    ]
    const text = "Start the database before the tests."
    const evidence = { source: "user_correction" as const, frustration: "mild" as const, event: 1 }
    const [outcome] = await learn(store, "a", [add(text, { evidence })], { episode: { events }, commit: { trigger } })
    const [memory] = await store.memories({ project: "p-one" })
    expect(outcome).toEqual({ kind: "added", id: memory?.id })
    expect(memory).toEqual({
      id: expect.stringMatching(/^m-[0-9a-f]{16}$/),
      project: "p-one",
      scope: "project",
      pathPrefix: undefined,
      owner: { type: "user", id: "kim" },
      kind: "pattern",
      tier: "short_term",
      polarity: 1,
      key: undefined,
      text,
      status: "provisional",
      confidence: 0.9,
      expires: "2026-03-31T10:30:00.000Z",
      pinned: false,
      flags: [],
      trigger,
      origin: "user",
      trust: 3,
      derivedFrom: undefined,
      contributedBy: undefined,
      sourceMemory: undefined,
      version: 1,
      created: minute(30),
      updated: minute(30),
      metrics: {
        useCount: 0,
        opportunities: 0,
        passedOver: 0,
        hits: 0,
        misses: 0,
        regretSaved: 0,
        netRegret: 0,
        lastUsed: undefined,
        lastHit: undefined,
        lastEvaluated: undefined,
      },
      evidence: 1,
    })
    const { evidence: known, audit } = await store.history(memory?.id ?? "")
    expect(known).toMatchObject([
      {
        episode: testEpisode("a").id,
        project: "p-one",
        source: "user_correction",
        frustration: "mild",
        line: 9,
        quote: text,
      },
    ])
    expect(known[0]?.transcript).toBe(testEpisode("a").transcript)
    expect(audit).toMatchObject([{ action: "added", episode: testEpisode("a").id }])
    expect(await store.episode(testEpisode("a").id)).toMatchObject({ processed: true, skipReason: undefined })
    expect(await store.memories({ episode: testEpisode("a").id })).toHaveLength(1)
    expect(await store.memories({ episode: "ep-other" })).toEqual([])
  })

  test(told("the next query sees the commit, and repeating a commit changes nothing"), async () => {
    const store = await open({ embed: wordEmbedder })
    const before = await store.version("p-one")
    await learn(store, "a", [add("Run the linter first")])
    expect(await store.version("p-one")).not.toBe(before)
    const ask = () => store.nearest({ project: "p-one", text: "run the linter", now: minute(31), limit: 5 })
    expect(await ask()).toMatchObject([{ memory: { text: "Run the linter first" } }])
    const version = await store.version("p-one")
    expect(await store.commit(testCommit("a", [add("Something else")]))).toEqual({ kind: "already" })
    expect(await ask()).toHaveLength(1)
    expect(await store.version("p-one")).toBe(version)
  })

  test(told("a memory is found by its id, its handle and a prefix of its id"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("One"))
    await learnOne(store, "b", add("Two"))
    for (const name of [id, handleOf(id), `[${handleOf(id)}]`, id.slice(0, 10), id.slice(2)])
      expect(await store.find(name)).toMatchObject([{ id }])
    for (const name of ["m:zzzzzz", "", "%", "m-", `${id}0`]) expect(await store.find(name)).toEqual([])
  })

  test(told("the same text again, however it is written, is evidence and not a second memory"), async () => {
    const store = await open()
    const id = await learnOne(store, "a", add("Use pnpm, not npm.", { confidence: 0.5 }))
    expect(
      await learn(store, "b", [add("use  PNPM not npm!", { kind: "note" })], { commit: { now: minute(90) } }),
    ).toEqual([{ kind: "duplicate", of: id }])
    const [memory, ...others] = await store.memories({})
    expect(others).toEqual([])
    expect(memory).toMatchObject({ evidence: 2, expires: "2026-05-30T11:30:00.000Z", version: 2 })
    expect((await store.history(id)).evidence.map(({ episode }) => episode.at(-1))).toEqual(["a", "b"])
  })

  test(told("a session counts as evidence for a memory once, and so does its history"), async () => {
    const store = await open({ embed: wordEmbedder })
    const session = { session: "one day" }
    const text = "Run the integration tests with the database container up"
    const id = await learnOne(store, "a", add(text), session)
    await learn(store, "b", [add(text)], { episode: session })
    expect(await store.find(id)).toMatchObject([{ evidence: 1, version: 1 }])
    await learn(store, "c", [add(text)], { episode: { session: "another day" } })
    await learn(store, "d", [add(text)], { episode: { session: "another day" } })
    expect(await store.find(id)).toMatchObject([{ evidence: 2, version: 2 }])
    const { audit } = await store.history(id)
    expect(audit.map(({ action }) => action)).toEqual(["added", "confirmed"])
    const refined = await learnOne(store, "e", update(id, `${text} and migrated`), session)
    expect((await store.history(refined)).evidence.map(({ episode }) => episode.at(-1)).sort()).toEqual(["c", "e"])
  })

  test(told("a paraphrase is a duplicate only with the same scope, kind and polarity"), async () => {
    const store = await open({ embed: wordEmbedder })
    const text = "Always start the local database container before running any integration tests here"
    const reworded = "Before running any integration tests here always start the local database container"
    const id = await learnOne(store, "a", add(text))
    expect(await learn(store, "b", [add(reworded)])).toEqual([{ kind: "duplicate", of: id }])
    const others = [
      add(`${reworded}!`, { scope: "repo_path", pathPrefix: "api" }),
      add(`${reworded}?`, { kind: "note" }),
      add(reworded, { scope: "global" }),
      add(reworded, { polarity: -1 }),
    ]
    expect((await learn(store, "c", others)).map(({ kind }) => kind)).toEqual(["added", "added", "added", "added"])
    expect(await learn(store, "d", [add(text)], { episode: { project: "p-two" } })).toMatchObject([{ kind: "added" }])
  })

  test(told("a negated text is not a duplicate, and neither is another number"), async () => {
    const store = await open({ embed: wordEmbedder })
    const long = "whenever the packages of this large repository are installed on a machine of ours, be it new or old"
    await learnOne(store, "a", add(`Use pnpm and not npm ${long}`))
    await learnOne(store, "b", add(`Port 3000 is free ${long}`))
    const [turned, number] = await learn(store, "c", [
      add(`Use npm and not pnpm ${long}`),
      add(`Port 3001 is free ${long}`),
    ])
    expect(turned).toMatchObject({ kind: "added", note: expect.stringContaining("conflict") })
    expect(number).toMatchObject({ kind: "added" })
    const flags = (await store.memories({})).map((memory) => [memory.text.slice(0, 12), memory.flags])
    expect(flags).toContainEqual(["Use pnpm and", ["conflict"]])
    expect(flags).toContainEqual(["Use npm and ", ["conflict"]])
  })

  test(told("opposite advice is kept on both sides and flagged"), async () => {
    const store = await open({ embed: wordEmbedder })
    const id = await learnOne(store, "a", add("Mock the payment gateway in integration tests"))
    const [outcome] = await learn(store, "b", [add("Mock the payment gateway in integration tests", { polarity: -1 })])
    expect(outcome).toMatchObject({ kind: "added", note: `conflicts with ${id}` })
    expect((await store.memories({})).map(({ flags, status }) => [flags, status])).toEqual([
      [["conflict"], "provisional"],
      [["conflict"], "provisional"],
    ])
  })

  test(told("a fact under a taken key replaces the old one"), async () => {
    const store = await open({ embed: wordEmbedder })
    const fact = { kind: "invariant" as const, key: "project.package_manager" }
    const old = await learnOne(store, "a", add("Installs are done with npm.", fact))
    const [outcome] = await learn(store, "b", [add("This repository moved over to pnpm workspaces.", fact)])
    expect(outcome).toMatchObject({ kind: "replaced", old })
    const [is] = await store.memories({ statuses: ["provisional"] })
    expect(await store.find(old)).toMatchObject([{ status: "deprecated" }])
    expect(is).toMatchObject({ status: "provisional", key: "project.package_manager", derivedFrom: undefined })
    expect((await store.history(is?.id ?? "")).audit.map(({ reason }) => reason).join()).toContain(old)
    const guard = add("Never delete the lockfile.", { kind: "guard", key: "project.package_manager" })
    expect(await learn(store, "c", [guard])).toMatchObject([{ kind: "added" }])
    expect(await learn(store, "d", [add("It is pip here.", fact)], { episode: { project: "p-two" } })).toMatchObject([
      { kind: "added" },
    ])
    expect(await store.memories({ project: "p-one", statuses: ["provisional", "active"] })).toHaveLength(2)
  })

  test(told("several operations of one episode see each other"), async () => {
    const store = await open()
    const outcomes = await learn(store, "a", [add("Twice"), add("twice")])
    expect(outcomes.map(({ kind }) => kind)).toEqual(["added", "duplicate"])
  })

  test(told("an episode that needs no writer is stored with its commit, and known the second time"), async () => {
    const store = await open()
    const commit = testCommit("a", [add("Once")], { episode: testEpisode("a") })
    expect(await store.commit(commit)).toMatchObject({ kind: "committed", outcomes: [{ kind: "added" }] })
    expect(await store.commit({ ...commit, operations: [add("Twice")] })).toEqual({ kind: "already" })
    expect(await store.waiting()).toEqual([])
    expect(await store.memories({ episode: testEpisode("a").id })).toMatchObject([{ text: "Once" }])
    const bad = testCommit("b", [add("Bad", { tier: "eternal" as never, ttlDays: 3 })], { episode: testEpisode("b") })
    await expect(store.commit(bad)).rejects.toThrow()
    expect(await store.episode(testEpisode("b").id)).toBeUndefined()
  })

  test(told("an agent's own report is the agent's claim, whatever outcome it reports"), async () => {
    const store = await open()
    const evidence = { source: "failure_then_success" as const, frustration: "severe" as const }
    const told = async (id: string, isAccepted: boolean) => {
      const guard = add(`${id} fails`, { kind: "guard", evidence })
      const commit = testCommit(id, [guard], { episode: testEpisode(id), account: { isAccepted } })
      await store.commit(commit)
      const [memory] = await store.memories({ episode: testEpisode(id).id })
      return [memory?.kind, memory?.polarity, memory?.origin, memory?.trust]
    }
    expect(await told("a", false)).toEqual(["pattern", -1, "agent", 1])
    expect(await told("b", true)).toEqual(["guard", -1, "agent", 1])
  })

  test(told("an episode's commit is all or nothing"), async () => {
    const store = await open()
    await store.takeIn(testIntake({ episodes: [testEpisode("a")] }))
    const bad = add("Bad", { tier: "eternal" as never, ttlDays: 3 })
    await expect(store.commit(testCommit("a", [add("Good"), bad]))).rejects.toThrow()
    expect(await store.memories({})).toEqual([])
    expect(await store.waiting()).toHaveLength(1)
    expect(
      await store.commit(testCommit("a", [add("Good")], { trigger: noTrigger, settlement: nothingSettled })),
    ).toMatchObject({ kind: "committed" })
  })

  test(
    told("a memory the user has forgotten is not learned again from earlier events, but from later ones"),
    async () => {
      const store = await open()
      for (const purge of [true, false]) {
        const [text, name] = [`Deploy on Fridays, ${purge}`, String(purge)]
        const id = await learnOne(store, `${name} a`, add(text))
        expect(await store.forget([id, "m-unknown"], { purge, reason: "wrong", now: minute(60) })).toEqual([id])
        expect(await learn(store, `${name} b`, [add(text)])).toEqual([
          { kind: "dropped", reason: "the user has forgotten it" },
        ])
        expect(await learn(store, `${name} c`, [add(text)], { episode: { end: minute(90) } })).toMatchObject([
          { kind: "added" },
        ])
      }
    },
  )
}
