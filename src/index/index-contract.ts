import { expect, test } from "vitest"
import type { Filter, IndexStore, Item, OriginItems } from "./index-store.ts"
import { testItem, testVector } from "./test-items.ts"

/**
 * The contract of every index driver; `open` creates an empty index with `testEmbedder` and MiniLM vectors named
 * "deep-1".
 */
export function testIndex(name: string, open: () => Promise<IndexStore>): void {
  const told = (behaviour: string) => `${name}: ${behaviour}`
  const file = (key: string, stamp: string, ...items: Item[]): OriginItems => ({ key, stamp, items })
  const indexOf = async (...items: Item[]) => {
    const index = await open()
    await index.update([file("decisions.md", "1", ...items)])
    return index
  }
  const find = async (
    index: IndexStore,
    text: string,
    filter: Filter = {},
    options: { limit?: number; now?: number } = {},
  ) => (await index.find({ text, vectors: [], filter, limit: options.limit ?? 10, now: options.now ?? 0 })).candidates
  const ids = (found: { id: string }[]) => found.map(({ id }) => id).sort()
  const selected = async (index: IndexStore, filter: Filter, now = 0) =>
    (await index.select(filter, { now })).map(({ id }) => id)

  test(told("an item is returned as it was written"), async () => {
    const given = testItem("a", {
      tags: ["v1", "Zwei Worte"],
      contributors: ["Rook"],
      agent: "kane",
      pathPrefix: "src/disk",
      at: 1000,
      dayOnly: true,
      expires: 2000,
      governed: true,
      marked: true,
      line: 7,
      payload: '{"text":"‐ \\u0000"}',
    })
    const index = await indexOf(testItem("first"), given)
    const [item] = await index.items(["a"])
    expect(item).toEqual({ ...given, row: expect.any(Number), origin: "decisions.md", position: 1 })
    expect(await index.items(["b"])).toEqual([])
  })

  test(
    told("words are found in title, text, tags and author, and an item reports how much of the request it contains"),
    async () => {
      const index = await indexOf(
        testItem("title", { title: "Use buildContext", text: "" }),
        testItem("text", { text: "We chose PostgreSQL after a long talk" }),
        testItem("tag", { tags: ["observability"] }),
        testItem("author", { author: "McManus" }),
      )
      expect(ids(await find(index, "build_context"))).toEqual(["title"])
      expect(ids(await find(index, "mcmanus"))).toEqual(["author"])
      expect(ids(await find(index, "observability, postgresql"))).toEqual(["tag", "text"])
      const [whole] = await find(index, "talk about PostgreSQL")
      expect(whole).toMatchObject({ id: "text", coverage: 1 })
      const [half] = await find(index, "PostgreSQL unheardof")
      expect(half?.coverage).toBeGreaterThan(0)
      expect(half?.coverage).toBeLessThan(1)
      expect(await find(index, "the and of")).toEqual([])
      expect(await find(index, `"'*^:()-+{} NEAR AND`)).toEqual([])
    },
  )

  test(
    told("all items with one of the words are listed, the best first, and a partial word is completed"),
    async () => {
      const index = await indexOf(
        testItem("twice", { title: "moss", text: "moss" }),
        testItem("once", { text: `moss ${"and other words ".repeat(20)}`, agent: "kane" }),
        testItem("none", { title: "rivers", text: "run" }),
      )
      expect(await index.holding({ text: "moss" })).toEqual(["twice", "once"])
      expect((await index.holding({ text: "moss rivers" })).sort()).toEqual(["none", "once", "twice"])
      expect(await index.holding({ text: "riv" })).toEqual([])
      expect(await index.holding({ text: "riv", complete: true })).toEqual(["none"])
      expect(await index.holding({ text: "the of" })).toEqual([])
    },
  )

  test(told("its version changes with every change, and only then"), async () => {
    const index = await indexOf(testItem("a"))
    const before = await index.version()
    expect(await index.version()).toBe(before)
    await index.update([file("decisions.md", "2", testItem("b"))])
    expect(await index.version()).not.toBe(before)
  })

  test(told("vectors find items without a searched word, and every candidate has every signal"), async () => {
    const index = await indexOf(
      testItem("a", { title: "owls hunt", text: "mice at night" }),
      testItem("b", { title: "rivers", text: "run to the sea" }),
    )
    const { candidates } = await index.find({
      text: "sea",
      vectors: [{ model: "static", vector: testVector("owls hunt. mice at night") }],
      filter: {},
      limit: 1,
      now: 0,
    })
    const [a, b] = candidates.sort((one, other) => (one.id < other.id ? -1 : 1))
    expect(a).toMatchObject({ id: "a", words: 0, coverage: 0, minilm: undefined })
    expect(a?.static).toBeCloseTo(1, 3)
    expect(b).toMatchObject({ id: "b", coverage: 1 })
    expect(b?.words).toBeGreaterThan(0)
    expect(b?.static).toBeLessThan(0.5)
  })

  test(told("an agent's own items are found by that agent, or when all agents are searched"), async () => {
    const index = await indexOf(
      testItem("ours"),
      testItem("kane's", { agent: "kane" }),
      testItem("rook's", { agent: "rook" }),
    )
    const vectors = [{ model: "static" as const, vector: testVector("title text") }]
    const seenBy = async (agent: string | undefined) =>
      ids(
        (await index.find({ text: "title text", vectors, filter: { agent }, limit: 10, neighbours: 10, now: 0 }))
          .candidates,
      )
    expect(await seenBy(undefined)).toEqual(["ours"])
    expect(await seenBy("Kane")).toEqual(["kane's", "ours"])
    expect(await seenBy("nobody")).toEqual(["ours"])
    expect(await seenBy("*")).toEqual(["kane's", "ours", "rook's"])
    expect(ids(await index.select({ agent: "rook" }, { now: 0 }))).toEqual(["ours", "rook's"])
  })

  test(told("filters apply before the limit, however few items remain"), async () => {
    const crowd = Array.from({ length: 700 }, (_, number) =>
      testItem(`other-${number}`, { agent: "rook", title: "moss moss", text: "moss" }),
    )
    const index = await indexOf(
      ...crowd.slice(0, 350),
      testItem("one", { text: `moss ${"and other words ".repeat(50)}` }),
      ...crowd.slice(350),
    )
    expect(ids(await find(index, "moss", {}, { limit: 5 }))).toEqual(["one"])
    const near = { model: "static" as const, vector: testVector("moss") }
    const byVector = await index.find({ text: "", vectors: [near], filter: {}, limit: 5, now: 0 })
    expect(ids(byVector.candidates)).toEqual(["one"])
    expect(await find(index, "moss", { agent: "rook" }, { limit: 5 })).toHaveLength(5)
  })

  test(told("a few entries are found among many learned memories, and vice versa"), async () => {
    const index = await open()
    const many = Array.from({ length: 300 }, (_, number) =>
      testItem(`m-${number}`, { source: "learned", text: "queue retry", tags: number === 7 ? ["Build-Tool"] : [] }),
    )
    const few = [testItem("a", { text: "queue" }), testItem("b", { text: "retry" })]
    await index.update([file("learned", "1", ...many), file("decisions.md", "1", ...few)])
    const near = async (filter: Filter) => {
      const vectors = [{ model: "static" as const, vector: testVector("queue retry") }]
      return ids((await index.find({ text: "", vectors, filter, limit: 5, now: 0 })).candidates)
    }
    for (const filter of [{ not: { sources: ["learned" as const] } }, { sources: ["decisions" as const] }]) {
      expect(ids(await find(index, "queue retry", filter, { limit: 5 }))).toEqual(["a", "b"])
      expect(await near(filter)).toEqual(["a", "b"])
    }
    const learned = [
      ...ids(await find(index, "queue", { sources: ["learned"] })),
      ...(await near({ sources: ["learned"] })),
    ]
    expect(learned.filter((id) => id.startsWith("m-")).length).toBeGreaterThanOrEqual(15)
    expect(learned).not.toContain("a")
    const anyOf = [{ tags: ["build-tool"] }, { tags: ["x"] }]
    expect(await selected(index, { sources: ["learned"], anyOf })).toEqual(["m-7"])
  })

  test(told("each attribute filters, and its negation excludes"), async () => {
    const index = await indexOf(
      testItem("a", {
        source: "inbox",
        type: "directive",
        author: "Jane  Doe",
        tags: ["A", "b"],
        scope: "agent:Kane",
        at: 100,
      }),
      testItem("b", { contributors: ["jane doe"], tags: ["a"], at: 200 }),
      testItem("c"),
    )
    const expectFiltered = async (filter: Filter, wanted: string[]) => {
      expect((await selected(index, filter)).sort(), JSON.stringify(filter)).toEqual(wanted)
      expect(ids(await find(index, "title", filter)), JSON.stringify(filter)).toEqual(wanted)
    }
    await expectFiltered({ sources: ["inbox"] }, ["a"])
    await expectFiltered({ sources: ["inbox", "decisions"] }, ["a", "b", "c"])
    await expectFiltered({ sources: [] }, [])
    await expectFiltered({ not: { sources: ["inbox"] } }, ["b", "c"])
    await expectFiltered({ types: ["directive"] }, ["a"])
    await expectFiltered({ not: { types: ["directive"] } }, ["b", "c"])
    await expectFiltered({ authors: ["Jane Doe"] }, ["a", "b"])
    await expectFiltered({ authors: ["jane"] }, [])
    await expectFiltered({ not: { authors: ["JANE DOE"] } }, ["c"])
    await expectFiltered({ tags: ["a"] }, ["a", "b"])
    await expectFiltered({ tags: ["a", "B"] }, ["a"])
    await expectFiltered({ not: { tags: ["b", "c"] } }, ["b", "c"])
    await expectFiltered({ scopes: ["Agent:kane"] }, ["a"])
    await expectFiltered({ not: { scopes: ["team"] } }, ["a"])
    await expectFiltered({ ids: ["a", "c", "nobody"] }, ["a", "c"])
    await expectFiltered({ not: { ids: ["a"] } }, ["b", "c"])
    await expectFiltered({ after: 100 }, ["a", "b"])
    await expectFiltered({ after: 101 }, ["b"])
    await expectFiltered({ before: 200 }, ["a"])
    await expectFiltered({ not: { before: 200 } }, ["b", "c"])
    await expectFiltered({ not: { after: 200, types: ["directive"] } }, ["c"])
  })

  test(
    told(
      "items loaded never or from the archive are left out unless requested, and expiry is judged by the given time",
    ),
    async () => {
      const index = await indexOf(
        testItem("never", { load: "NEVER" }),
        testItem("archive", { load: "ARCHIVE" }),
        testItem("fresh", { expires: 500 }),
        testItem("plain"),
      )
      expect((await selected(index, {})).sort()).toEqual(["fresh", "plain"])
      expect((await selected(index, { archived: true })).sort()).toEqual(["archive", "fresh", "never", "plain"])
      expect((await selected(index, { expired: "without" }, 499)).sort()).toEqual(["fresh", "plain"])
      expect(await selected(index, { expired: "without" }, 500)).toEqual(["plain"])
      expect(await selected(index, { expired: "only" }, 500)).toEqual(["fresh"])
      expect((await selected(index, { expired: "without", asOf: 499 }, 500)).sort()).toEqual(["fresh", "plain"])
    },
  )

  test(told("the newest come first, those without a date last"), async () => {
    const index = await indexOf(
      testItem("none"),
      testItem("old", { at: 1 }),
      testItem("new", { at: 3 }),
      testItem("middle", { at: 2 }),
    )
    expect(await selected(index, {})).toEqual(["new", "middle", "old", "none"])
    expect(ids(await index.select({}, { now: 0, limit: 1 }))).toEqual(["new"])
  })

  test(told("supersession is resolved across origins, by id and by time, from either side"), async () => {
    const at = (text: string) => Date.parse(text)
    const index = await open()
    await index.update([
      file(
        "archive.md",
        "1",
        testItem("old", { source: "archive", at: 10 }),
        testItem("dated", { at: at("2026-01-02T03:04:05Z") }),
      ),
      file(
        "decisions.md",
        "1",
        testItem("new", { supersedes: ["old", "2026-01-02T04:04:05+0100"], at: 20 }),
        testItem("left", { supersededBy: ["new"] }),
      ),
    ])
    expect(await selected(index, {})).toEqual(["new"])
    expect((await selected(index, { superseded: "only" })).sort()).toEqual(["dated", "left", "old"])
    const [item] = await index.items(["new"])
    expect(item?.supersedes).toEqual(["dated", "left", "old"])
    expect((await index.items(["old"]))[0]?.supersededBy).toEqual(["new"])
    expect(
      (await find(index, "title of old", { superseded: true })).find(({ id }) => id === "old")?.supersededBy,
    ).toEqual(["new"])

    await index.update([file("decisions.md", "2")])
    expect((await selected(index, {})).sort()).toEqual(["dated", "old"])
  })

  test(told("a time that matches several items, or has no real seconds, supersedes only if unambiguous"), async () => {
    const at = Date.parse("2026-01-02T00:00:00Z")
    const newer = testItem("newer", { supersedes: ["2026-01-02T00:00:00Z"] })
    expect((await selected(await indexOf(testItem("a", { at }), testItem("b", { at }), newer), {})).sort()).toEqual([
      "a",
      "b",
      "newer",
    ])
    const invented = await indexOf(testItem("a", { at, dayOnly: true }), testItem("b", { at }), newer)
    expect((await selected(invented, {})).sort()).toEqual(["a", "newer"])
    expect(await selected(await indexOf(testItem("a", { at, dayOnly: true }), newer), {})).toEqual(["newer"])
  })

  test(told("a pending inbox item replaces nothing; once governed or decided, it does"), async () => {
    const old = testItem("old", { text: "moss" })
    const proposal = testItem("new", { text: "fern", source: "inbox", supersedes: ["old"] })
    const index = await indexOf(old, proposal)
    expect(ids(await find(index, "moss"))).toContain("old")
    await index.update([file("decisions.md", "2", old, { ...proposal, governed: true })])
    expect(ids(await find(index, "moss"))).not.toContain("old")
    await index.update([file("decisions.md", "3", old, { ...proposal, source: "decisions" })])
    expect(ids(await find(index, "moss"))).not.toContain("old")
  })

  test(told("items that replace each other in a cycle, or themselves, hide nothing"), async () => {
    const index = await indexOf(
      testItem("a", { supersedes: ["b"] }),
      testItem("b", { supersedes: ["a"] }),
      testItem("self", { supersedes: ["self"] }),
      testItem("c", { supersededBy: ["a"] }),
    )
    expect((await selected(index, {})).sort()).toEqual(["a", "b", "self"])
  })

  test(told("as of an earlier time, later items are absent and supersede nothing"), async () => {
    const index = await indexOf(
      testItem("old", { at: 10 }),
      testItem("new", { at: 20, supersedes: ["old"] }),
      testItem("undated"),
    )
    expect((await selected(index, { asOf: 20 })).sort()).toEqual(["new", "undated"])
    expect((await selected(index, { asOf: 19 })).sort()).toEqual(["old", "undated"])
    expect(ids(await find(index, "title text", { asOf: 19 }))).toEqual(["old", "undated"])
    const [old] = await find(index, "title of old", { asOf: 19, superseded: true, ids: ["old"] })
    expect(old?.supersededBy).toEqual([])
  })

  test(told("an update writes only the difference: unchanged items keep their rows"), async () => {
    const index = await indexOf(testItem("a"), testItem("b"), testItem("c"))
    const rowsOf = async () => new Map((await index.select({}, { now: 0 })).map((item) => [item.id, item.row]))
    const before = await rowsOf()
    const outcome = await index.update([
      file("decisions.md", "2", testItem("b", { line: 9 }), testItem("c", { text: "another text" }), testItem("d")),
    ])
    expect(outcome).toEqual({ added: 1, changed: 1, removed: 1, overtaken: [] })
    const after = await rowsOf()
    expect([...after.keys()].sort()).toEqual(["b", "c", "d"])
    expect([after.get("b"), after.get("c")]).toEqual([before.get("b"), before.get("c")])
    expect([...before.values()]).not.toContain(after.get("d"))
    expect((await index.items(["b"]))[0]).toMatchObject({ line: 9, position: 0 })
    expect(ids(await find(index, "another"))).toEqual(["c"])
    expect(ids(await find(index, "text of a"))).not.toContain("a")
    expect(await index.rows([before.get("a") as number, after.get("b") as number])).toHaveLength(1)
  })

  test(told("an item that moves to another origin keeps its row, and a removed origin removes its items"), async () => {
    const index = await open()
    await index.update([file("one.md", "1", testItem("a"), testItem("b")), file("two.md", "1", testItem("c"))])
    const [before] = await index.items(["a"])
    const outcome = await index.update(
      [file("one.md", "2", testItem("b")), file("three.md", "1", testItem("a", { source: "archive" }))],
      ["two.md", "never.md"],
    )
    expect(outcome).toEqual({ added: 0, changed: 0, removed: 1, overtaken: [] })
    expect((await index.items(["a"]))[0]).toMatchObject({ row: before?.row, origin: "three.md", source: "archive" })
    expect(await index.items(["c"])).toEqual([])
    expect([...(await index.origins())].sort()).toEqual([
      ["one.md", "2"],
      ["three.md", "1"],
    ])
  })

  test(
    told(
      "a process that comes later with the same change finds nothing to do, and one with an older reading overwrites nothing",
    ),
    async () => {
      const index = await indexOf(testItem("a"))
      const seen = await index.origins()
      const second = file("decisions.md", "2", testItem("a"), testItem("b"))
      expect(await index.update([second], [], seen)).toMatchObject({ added: 1, overtaken: [] })
      expect(await index.update([second], [], seen)).toEqual({ added: 0, changed: 0, removed: 0, overtaken: [] })
      const third = file("decisions.md", "3", testItem("z"))
      expect(await index.update([third], [], seen)).toEqual({
        added: 0,
        changed: 0,
        removed: 0,
        overtaken: ["decisions.md"],
      })
      expect(await index.update([], ["decisions.md"], seen)).toMatchObject({ removed: 0, overtaken: ["decisions.md"] })
      expect(await index.update([third], [], await index.origins())).toMatchObject({ added: 1, removed: 2 })
    },
  )

  test(told("an index is not rebuilt from older content than it has"), async () => {
    const index = await indexOf(testItem("a"))
    const seen = await index.origins()
    const read = [file("decisions.md", "1", testItem("a"))]
    await index.update([file("inbox.md", "1", testItem("b"))])
    expect(await index.rebuild(read, seen)).toEqual({ added: 0, changed: 0, removed: 0, overtaken: ["inbox.md"] })
    expect((await selected(index, {})).sort()).toEqual(["a", "b"])
    expect(await index.rebuild(read, await index.origins())).toMatchObject({ added: 1, overtaken: [] })
    expect(await selected(index, {})).toEqual(["a"])
  })

  test(told("an id in two origins is two items, and the more authoritative one is returned for it"), async () => {
    const index = await open()
    await index.update([
      file("archive.md", "1", testItem("a", { source: "archive", title: "archived" })),
      file("decisions.md", "1", testItem("a", { title: "decided" }), testItem("a", { title: "decided twice" })),
    ])
    expect((await index.select({}, { now: 0 })).map(({ title }) => title).sort()).toEqual([
      "archived",
      "decided",
      "decided twice",
    ])
    expect((await index.items(["a", "a"])).map(({ title }) => title)).toEqual(["decided"])
    await index.update([], ["decisions.md"])
    expect((await index.items(["a"])).map(({ title }) => title)).toEqual(["archived"])
  })

  test(
    told("a unique prefix of an id finds its item, however short; an ambiguous or empty one finds nothing"),
    async () => {
      const index = await indexOf(testItem("sem-12345678"), testItem("sem-12999999"), testItem("m-4f2a91c0"))
      const idsOf = async (id: string) => (await index.items([id])).map((item) => item.id)
      expect(await idsOf("sem-1234")).toEqual(["sem-12345678"])
      expect(await idsOf("m:4f2a91")).toEqual(["m-4f2a91c0"])
      expect(await idsOf("4f2a91")).toEqual(["m-4f2a91c0"])
      expect(await idsOf("sem-12")).toEqual([])
      expect(await idsOf("m-4")).toEqual(["m-4f2a91c0"])
      expect(await idsOf("sem-129")).toEqual(["sem-12999999"])
      for (const empty of ["", "sem-", "m:"]) expect(await idsOf(empty)).toEqual([])
      expect(await index.idsLike("sem-1234")).toEqual(["sem-12345678"])
      expect(await index.idsLike("none")).toEqual([])
      await index.update([file("more.md", "1", testItem("sem-12345699"))])
      expect(await idsOf("1234")).toEqual([])
      expect(await index.idsLike("1234")).toEqual(["sem-12345678", "sem-12345699"])
    },
  )

  test(
    told("when a title is edited, the old id resolves to the new one, also after several edits and a rebuild"),
    async () => {
      const index = await indexOf(testItem("first", { text: "The same words" }), testItem("other"))
      await index.update([file("decisions.md", "2", testItem("second", { text: "The same words" }), testItem("other"))])
      await index.update([
        file("decisions.md", "3", testItem("other")),
        file("archive.md", "1", testItem("third", { text: "The same words" })),
      ])
      expect([
        await nameNow(index, "first"),
        await nameNow(index, "second"),
        await nameNow(index, "other"),
        await nameNow(index, "none"),
      ]).toEqual(["third", "third", "other", "none"])
      expect(ids(await index.items(["first", "second"]))).toEqual(["third"])
      expect(await selected(index, { ids: ["first"] })).toEqual(["third"])

      await index.update([file("decisions.md", "4", testItem("other"), testItem("newer", { supersedes: ["first"] }))])
      expect((await selected(index, {})).sort()).toEqual(["newer", "other"])
      await index.rebuild([
        file("archive.md", "1", testItem("third", { text: "The same words" })),
        file("decisions.md", "4", testItem("newer", { supersedes: ["first"] })),
      ])
      expect(await nameNow(index, "first")).toBe("third")
      expect(await selected(index, {})).toEqual(["newer"])

      await index.update([file("archive.md", "2", testItem("first", { text: "The same words" }))])
      expect([await nameNow(index, "first"), await nameNow(index, "third")]).toEqual(["first", "first"])
    },
  )

  test(told("items with the same text, or none, get no wrong alias"), async () => {
    const index = await indexOf(
      testItem("a", { text: "same" }),
      testItem("b", { text: "same" }),
      testItem("empty", { text: "" }),
    )
    await index.update([file("decisions.md", "2", testItem("c", { text: "same" }), testItem("full", { text: "" }))])
    expect([await nameNow(index, "a"), await nameNow(index, "b"), await nameNow(index, "empty")]).toEqual([
      "a",
      "b",
      "empty",
    ])
  })

  test(told("a search includes the two items on either side of a hit, in the same origin"), async () => {
    const index = await open()
    const names = ["a", "b", "c", "d", "e"].map((id) => testItem(id, { title: id === "b" ? "moss" : "x", text: "" }))
    await index.update([file("one.md", "1", ...names), file("two.md", "1", testItem("z", { title: "x" }))])
    const { candidates } = await index.find({ text: "moss", vectors: [], filter: {}, limit: 5, neighbours: 1, now: 0 })
    expect(ids(candidates)).toEqual(["a", "b", "c", "d"])
  })

  test(told("a deep pass adds a model's vectors, but not for an item that changed meanwhile"), async () => {
    const index = await indexOf(testItem("a", { title: "owls", text: "hunt" }), testItem("b"))
    const missing = await index.missingVectors("minilm", 10)
    expect(missing).toHaveLength(2)
    await index.update([
      file("decisions.md", "2", testItem("a", { title: "owls", text: "hunt" }), testItem("b", { text: "changed" })),
    ])
    const vectors = missing.map(({ row, hash, passages }) => ({ row, hash, vectors: passages.map(testVector) }))
    expect(await index.putVectors("minilm", vectors)).toBe(1)
    expect(await index.putVectors("minilm", vectors)).toBe(1)
    expect(await index.missingVectors("minilm", 10)).toHaveLength(1)
    const request = {
      text: "",
      vectors: [{ model: "minilm" as const, vector: testVector("owls. hunt") }],
      filter: {},
      limit: 1,
      now: 0,
    }
    expect((await index.find(request)).candidates).toMatchObject([
      { id: "a", minilm: expect.closeTo(1, 2), static: undefined },
    ])
    expect((await index.stats()).vectors).toMatchObject({
      static: { id: "test-1", items: 2, passages: 2 },
      minilm: { id: "deep-1", items: 1, passages: 1 },
    })
  })

  test(told("a rebuild keeps a model's vectors of items with the same text"), async () => {
    const owls = testItem("a", { title: "owls", text: "hunt" })
    const index = await indexOf(owls, testItem("b", { text: "before" }))
    const missing = await index.missingVectors("minilm", 10)
    const vectors = missing.map(({ row, hash, passages }) => ({ row, hash, vectors: passages.map(testVector) }))
    await index.putVectors("minilm", vectors)
    const kept = async () => (await index.dump()).filter((row) => JSON.parse(row).kind === "minilm")
    const before = await kept()
    await index.rebuild([file("decisions.md", "2", owls, testItem("b", { text: "after" }))])
    expect(await kept()).toEqual(before.slice(0, 1))
    expect((await index.missingVectors("minilm", 10)).map(({ passages }) => passages.join())).toEqual([
      expect.stringContaining("after"),
    ])
    const vector = testVector("owls. hunt")
    const { candidates } = await index.find({
      text: "",
      vectors: [{ model: "minilm", vector }],
      filter: {},
      limit: 1,
      now: 0,
    })
    expect(candidates).toMatchObject([{ id: "a", minilm: expect.closeTo(1, 2) }])
  })

  test(told("it counts its content"), async () => {
    const index = await indexOf(testItem("a"), testItem("b", { source: "history", supersedes: ["a"] }))
    const stats = await index.stats()
    expect(stats).toMatchObject({ items: 2, sources: { decisions: 1, history: 1 }, links: 1, aliases: 0 })
    expect(stats.terms).toBeGreaterThan(2)
    expect(stats.bytes).toBeGreaterThan(0)
  })
}

/** The current id for an old one, or the id itself. */
async function nameNow(index: IndexStore, id: string): Promise<string> {
  return (await index.items([id]))[0]?.id ?? id
}
