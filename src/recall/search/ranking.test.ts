import { expect, test } from "vitest"
import type { FoundCandidates, IndexCandidate } from "../../index/index-store.ts"
import { hashTerm } from "../../index/term-hash.ts"
import { tokenize } from "../../index/tokenizer.ts"
import { rank } from "./ranking.ts"

const day = 86_400_000

/** A candidate without any signals, except those given. */
function candidate(id: string, given: Partial<IndexCandidate> = {}): IndexCandidate {
  return {
    row: 0,
    id,
    title: "",
    source: "decisions",
    at: undefined,
    origin: "decisions.md",
    position: 0,
    words: 0,
    coverage: 0,
    static: undefined,
    minilm: undefined,
    passages: [],
    allWords: () => new Set(),
    titleWords: () => new Set(tokenize(given.title ?? "").map(hashTerm)),
    amends: false,
    supersededBy: [],
    ...given,
  }
}

function found(candidates: IndexCandidate[], terms = 4): FoundCandidates {
  return {
    candidates,
    terms: Array.from({ length: terms }, (_, at) => ({ term: `t${at}`, documents: 1, idf: 1 })),
    items: 100,
  }
}

const order = (request: FoundCandidates) => rank(request).map(({ candidate: { id } }) => id)

const others = Array.from({ length: 10 }, (_, at) => candidate(`other-${at}`, { static: 0.1 + at / 100 }))

test("without vectors, the item with more of the request's words comes first", () => {
  expect(order(found([candidate("b", { words: 1 }), candidate("a", { words: 3 }), candidate("c")]))).toEqual([
    "a",
    "b",
    "c",
  ])
})

test("a short question is ranked more by meaning, a long task by words", () => {
  const candidates = [candidate("words", { words: 5, static: 0.1 }), candidate("meaning", { static: 0.7 }), ...others]
  expect(order(found(candidates, 4))[0]).toBe("meaning")
  expect(order(found(candidates, 40))[0]).toBe("words")
})

test("of what is written, MiniLM speaks instead of the table where both have a vector", () => {
  const [first] = rank(
    found([candidate("table", { static: 0.9, minilm: 0.2 }), candidate("minilm", { static: 0.1, minilm: 0.6 })]),
  )
  expect(first?.candidate.id).toBe("minilm")
})

test("of what was said, a short turn that is alike comes before a long text with one passage that is as much alike", () => {
  const said = (id: string, minilm: number, passages: number) =>
    candidate(id, { source: "session", origin: id, minilm, static: minilm, passages: new Array(passages).fill(minilm) })
  const candidates = [said("long", 0.6, 9), said("short", 0.6, 1), ...[0, 1, 2, 3].map((at) => said(`${at}`, 0.1, 1))]
  expect(order(found(candidates)).slice(0, 2)).toEqual(["short", "long"])
})

test("of what was said, both models speak where both have a vector", () => {
  const said = (id: string, table: number, minilm: number) =>
    candidate(id, { source: "session", origin: id, static: table, minilm, passages: [minilm] })
  const candidates = [
    said("minilm", 0.1, 0.62),
    said("both", 0.6, 0.6),
    ...[0, 1, 2].map((at) => said(`${at}`, 0.1, 0.1)),
  ]
  expect(order(found(candidates))[0]).toBe("both")
})

test("in a conversation the answer next to the matching words is found, in a log it is not", () => {
  const turns = (source: IndexCandidate["source"]) => [
    ...Array.from({ length: 8 }, (_, position) =>
      candidate(`${position}`, { source, position, words: position === 3 ? 9 : position === 7 ? 1 : 0 }),
    ),
  ]
  expect(
    order(found(turns("session")))
      .slice(0, 3)
      .sort(),
  ).toEqual(["2", "3", "4"])
  expect(order(found(turns("decisions"))).slice(0, 2)).toEqual(["3", "7"])
})

test("a superseded item never ranks before its successor, over any number of steps", () => {
  const chain = [
    candidate("old", { words: 9, supersededBy: ["middle"] }),
    candidate("middle", { words: 1, supersededBy: ["new"] }),
    candidate("new"),
    candidate("other", { words: 5 }),
  ]
  expect(order(found(chain))).toEqual(["new", "middle", "old", "other"])
})

test("a link overrides time and similarity", () => {
  const stale = candidate("stale", {
    title: "Indent with tabs",
    words: 5,
    coverage: 1,
    at: 2 * day,
    supersededBy: ["valid"],
  })
  const valid = candidate("valid", { title: "Indent with spaces", words: 4.9, coverage: 1, at: day })
  expect(order(found([stale, valid, candidate("other")])).slice(0, 2)).toEqual(["valid", "stale"])
})

test("circular links are ranked too", () => {
  const circle = [candidate("a", { words: 2, supersededBy: ["b"] }), candidate("b", { words: 1, supersededBy: ["a"] })]
  expect(order(found(circle)).sort()).toEqual(["a", "b"])
})

test("without a link the newer of two similar items is first, if it contains as many of the words", () => {
  const old = candidate("old", { title: "Indent with tabs in C files", words: 5, coverage: 1, at: day })
  const current = candidate("new", { title: "Indent with spaces in C files", words: 4.8, coverage: 1, at: 2 * day })
  const rest = others.map((other) => ({ ...other, static: undefined }))
  expect(order(found([old, current, ...rest])).slice(0, 2)).toEqual(["new", "old"])
  expect(order(found([old, { ...current, coverage: 0.5 }, ...rest])).slice(0, 2)).toEqual(["old", "new"])
  expect(order(found([old, { ...current, at: undefined }, ...rest])).slice(0, 2)).toEqual(["old", "new"])
})

test("two records with different titles are not confused, however close both are", () => {
  const near = { words: 5, coverage: 0.6, static: 0.5 }
  const old = candidate("old", { title: "Logs are JSON", at: day, ...near })
  const other = candidate("new", { title: "Output is coloured", at: 2 * day, ...near, words: 4.8 })
  expect(order(found([old, other, ...others])).slice(0, 2)).toEqual(["old", "new"])
})

test("nothing qualifies if the first result does not answer the request", () => {
  expect(
    rank(found([candidate("far", { coverage: 0.2, words: 1, static: 0.15 }), ...others])).some(
      ({ qualifies }) => qualifies,
    ),
  ).toBe(false)
  const answered = rank(found([candidate("near", { coverage: 0.6, words: 4, static: 0.5 }), ...others]))
  expect(answered.filter(({ qualifies }) => qualifies).map(({ candidate: { id } }) => id)).toEqual(["near"])
})

test("the successor of an answer is an answer", () => {
  const candidates = [
    candidate("old", { coverage: 0.6, words: 4, static: 0.5, supersededBy: ["new"] }),
    candidate("new", { static: 0 }),
    ...others,
  ]
  const [first] = rank(found(candidates))
  expect(first).toMatchObject({ candidate: { id: "new" }, qualifies: true })
})

test("the order does not depend on the order in which candidates were found; ties go by time, then by id", () => {
  const candidates = [
    candidate("b", { at: day }),
    candidate("a", { at: day }),
    candidate("c", { at: 2 * day }),
    candidate("d", { words: 1 }),
  ]
  expect(order(found(candidates))).toEqual(["d", "c", "a", "b"])
  expect(order(found([...candidates].reverse()))).toEqual(["d", "c", "a", "b"])
})

test("no candidates give an empty ranking", () => {
  expect(rank(found([], 0))).toEqual([])
})

test("four hundred candidates are ranked in about a millisecond", () => {
  const many = Array.from({ length: 400 }, (_, at) =>
    candidate(`${at}`, {
      title: `Item number ${at} of many`,
      words: at % 17,
      coverage: 0.5,
      static: (at % 31) / 31,
      at: at * day,
    }),
  )
  const request = found(many)
  for (let warm = 0; warm < 30; warm++) rank(request)
  const before = process.cpuUsage()
  for (let run = 0; run < 50; run++) rank(request)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 50_000).toBeLessThan(10) // a busy machine is granted ten times as much
})
