import fc from "fast-check"
import { expect, test } from "vitest"
import {
  completeQuery,
  formatQuery,
  parseQuery,
  type Query,
  type QueryFilter,
  type QueryValues,
  querySources,
  queryTypes,
  type SearchTerm,
} from "./query.ts"
import { queryStatuses } from "./query-match.ts"

test("a query is filters and free text, in any order", () => {
  expect(parse('type:Decision index author:"Jane Doe" "one index" scope:agent:kane')).toEqual({
    filters: [wanted("type", "decision"), wanted("author", "Jane Doe"), wanted("scope", "agent:kane")],
    terms: [term("index"), term("one index")],
  })
})

test("a minus excludes a filter, a word or a phrase", () => {
  expect(parse('-tag:old -draft -"work in progress"')).toEqual({
    filters: [{ key: "tag", value: "old", negated: true }],
    terms: [
      { text: "draft", negated: true },
      { text: "work in progress", negated: true },
    ],
  })
})

test("quotes and backslashes are escaped with a backslash, other backslashes stay", () => {
  expect(parse(String.raw`"say \"hello\"" "C:\\temp\new"`).terms).toEqual([
    term('say "hello"'),
    term(String.raw`C:\temp\new`),
  ])
})

test("a quoted word is distinguished from the bare one", () => {
  expect(parse('"index" -"draft" tag:"old"')).toEqual({
    filters: [wanted("tag", "old")],
    terms: [
      { text: "index", negated: false, quoted: true },
      { text: "draft", negated: true, quoted: true },
    ],
  })
})

test("an empty query, an empty phrase and a lone minus have no filters and no terms", () => {
  for (const text of ["", "  \t\n", '""', "-", '-""']) expect(parse(text)).toEqual({ filters: [], terms: [] })
})

test("a colon makes a filter only after letters: times and paths are words", () => {
  expect(parse("12:30 src/query.ts:7").terms).toEqual([term("12:30"), term("src/query.ts:7")])
})

test("keys and fixed values are read in any case, times in any accepted spelling", () => {
  expect(parse("TYPE:NOTE Status:Active recent:7D after:2026-02-01T09:30Z").filters).toEqual([
    wanted("type", "note"),
    wanted("status", "active"),
    wanted("recent", "7d"),
    wanted("after", "2026-02-01T09:30:00+00:00"),
  ])
})

test("an unknown key is a problem with its position and a suggestion", () => {
  expect(problems("index authr:Keaton")).toEqual([
    {
      start: 6,
      end: 18,
      message: '"authr:" is not a key. Did you mean "author:"? To search for the text itself, put it in quotes.',
    },
  ])
  expect(problems("std::string")[0]?.message).toContain("The keys are type, author, tag")
})

test("every bad value is reported at once, each with a hint", () => {
  const messages = problems(
    "type:decison type:task status:dead source:kitchen source:histroy scope:agent: after:2026-02-30 before:soon recent:7 author: tag:ok",
  ).map(({ message }) => message)
  expect(messages).toEqual([
    '"decison" is not a type. Did you mean "decision"?',
    '"task" is not a type. Write decision, memory, note, directive, skill, preference, invariant, pattern, guard, discovery, attempt, conversation, commit, merge.',
    '"dead" is not a status. Write in-force, proposed, superseded, expired, archived, on-trial, proven, ended, noted, active, review-due.',
    '"kitchen" is not a source. Write decisions, inbox, archive, history, skills, memory, policy, learned, session, docs, conversation, commit.',
    '"histroy" is not a source. Did you mean "history"?',
    '"agent:" is not a scope. Use team, project, agent:<name> or skill:<name>.',
    '"2026-02-30" is not a date. Use 2026-02-01, or a time with an offset: 2026-02-01T09:30:00Z.',
    '"soon" is not a date. Use 2026-02-01, or a time with an offset: 2026-02-01T09:30:00Z.',
    '"7" is not a duration. Use hours, days, weeks or months: 24h, 7d, 2w, 3m.',
    '"author:" needs a value, for example author:Keaton.',
  ])
})

test("a quote that is never closed is a problem up to the end of the text", () => {
  expect(problems('tag:a author:"Jane Doe tag:b')).toEqual([{ start: 6, end: 28, message: "Missing closing quote." }])
  expect(problems('"ends in a backslash \\')).toHaveLength(1)
})

test("a written query reads back as the same query", () => {
  fc.assert(
    fc.property(anyQuery, (query) => {
      expect(parse(formatQuery(query))).toEqual(query)
    }),
    { numRuns: 2000 },
  )
})

test("any text is a query or has problems with valid positions", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab -:"\\\n', "type:", "after:", "é") }), (text) => {
      const parsed = parseQuery(text)
      if (parsed.kind === "query") expect(parse(formatQuery(parsed.query))).toEqual(parsed.query)
      for (const { start, end } of problems(text)) {
        expect(start).toBeGreaterThanOrEqual(0)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
      }
    }),
    { numRuns: 2000 },
  )
})

const notBlank = fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.trim() !== "")
const nasty = fc.oneof(notBlank, fc.constantFrom("-", '"', "\\", 'a"b', "type:decision", "-x", '\\"', "a b", "x\\"))
const date = fc.constantFrom("2026-02-01", "2024-02-29", "2026-02-01T09:30:00-08:00")
const valuesFor: Record<string, fc.Arbitrary<string>> = {
  type: fc.constantFrom(...queryTypes),
  status: fc.constantFrom(...queryStatuses),
  source: fc.constantFrom(...querySources),
  scope: fc.constantFrom("team", "project", "agent:r2-d2", "skill:Øre"),
  after: date,
  before: date,
  recent: fc.constantFrom("1h", "7d", "12w", "3m"),
}
const anyFilter = fc
  .constantFrom("type", "author", "tag", "scope", "source", "status", "id", "after", "before", "recent")
  .chain((key) => fc.record({ key: fc.constant(key), value: valuesFor[key] ?? nasty, negated: fc.boolean() }))
const anyQuery: fc.Arbitrary<Query> = fc.record({
  terms: fc.array(fc.record({ text: nasty, negated: fc.boolean() })),
  filters: fc.array(anyFilter as fc.Arbitrary<QueryFilter>),
})

function parse(text: string): Query {
  const parsed = parseQuery(text)
  if (parsed.kind === "invalid") throw new Error(`${text}: ${JSON.stringify(parsed.problems)}`)
  return parsed.query
}

function problems(text: string) {
  const parsed = parseQuery(text)
  return parsed.kind === "invalid" ? parsed.problems : []
}

function wanted(key: QueryFilter["key"], value: string): QueryFilter {
  return { key, value, negated: false }
}

function term(text: string): SearchTerm {
  return { text, negated: false }
}

test("an empty position offers every key, a started word the keys that begin with it", () => {
  expect(inserts("|")).toContain("author:")
  expect(inserts("index |")).toHaveLength(14)
  expect(inserts("index a|")).toEqual(["author:", "after:"])
  expect(inserts("-|")).toHaveLength(14)
})

test("a key offers its fixed values and the given ones, in quotes if needed", () => {
  expect(inserts("type:|")).toContain("guard")
  expect(inserts("type:D|")).toEqual(["decision", "directive", "discovery"])
  expect(inserts("status:on|")).toEqual(["on-trial"])
  expect(inserts("scope:|", { scope: ["agent:kane", "team"] })).toEqual(["team", "project", "agent:kane"])
  expect(inserts('author:"ja|', { author: ["Jane Doe", "Verbal"] })).toEqual(['"Jane Doe"'])
})

test("a completion replaces the whole key or value the cursor is in", () => {
  expect(complete("-ty|pe:dec x")).toEqual("-type:dec x")
  expect(complete("x -type:me|m y")).toEqual("x -type:memory y")
  expect(complete("sta|")).toEqual("status:")
})

test("nothing is offered inside a phrase or after an unknown key", () => {
  expect(inserts('"ty|')).toEqual([])
  expect(inserts("foo:|")).toEqual([])
})

function completions(marked: string, values?: QueryValues) {
  return completeQuery(marked.replace("|", ""), marked.indexOf("|"), values)
}

function inserts(marked: string, values?: QueryValues): string[] {
  return completions(marked, values).map(({ insert }) => insert)
}

function complete(marked: string): string | undefined {
  const text = marked.replace("|", "")
  const [first] = completions(marked)
  return first && text.slice(0, first.start) + first.insert + text.slice(first.end)
}
