import fc from "fast-check"
import { expect, test } from "vitest"
import { makeSnippet } from "./item-search.ts"

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 1000)

const marked = (text: string, query: string) => {
  const snippet = makeSnippet(text, query)
  return snippet.highlights.map(({ start, end }) => snippet.text.slice(start, end))
}

test("a short text is shown whole, on one line", () => {
  expect(makeSnippet("Use  tabs.\n\nAlways.", "tabs")).toEqual({
    text: "Use tabs. Always.",
    highlights: [{ start: 4, end: 8 }],
  })
})

test("words match by their stem, identifiers by a part, and the end of a sentence is not included", () => {
  expect(marked("The migrations ran. See migrate_all, src/db/migrate.ts and MigrationRunner.", "migration")).toEqual([
    "migrations",
    "migrate_all",
    "src/db/migrate.ts",
    "MigrationRunner",
  ])
  expect(marked("It is in C++, not in D.", "C++")).toEqual(["C++"])
  expect(marked("See #123, not 124.", "#123")).toEqual(["#123"])
})

test("of a long text the part with most of the words is shown", () => {
  const filler = "Nothing happens here at all. ".repeat(30)
  const { text } = makeSnippet(`cache ${filler} the cache keeps sessions ${filler}`, "cache sessions")
  expect(text).toMatch(/^… .*the cache keeps sessions.* …$/)
})

test("without any of the words the beginning is shown", () => {
  expect(makeSnippet("alpha beta ".repeat(100), "gamma").text).toMatch(/^alpha beta .*…$/)
})

test("highlights are within the snippet, in order, and do not overlap; the snippet stays short", () => {
  const words = fc.constantFrom(
    "cache",
    "session,",
    "x",
    "Kühlschrank",
    "src/a/b.ts.",
    "\n",
    "…",
    "👩‍💻",
    "a".repeat(300),
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 120 }), fc.array(words, { maxLength: 4 }), (text, query) => {
      const snippet = makeSnippet(text.join(" "), query.join(" "))
      let last = 0
      for (const { start, end } of snippet.highlights) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(snippet.text.length)
      expect(snippet.text.length).toBeLessThanOrEqual(250)
      expect(snippet.text).not.toMatch(/\n|\p{Cs}/u)
    }),
    { numRuns },
  )
})
