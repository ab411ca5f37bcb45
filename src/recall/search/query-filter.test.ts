import { expect, test } from "vitest"
import { parseQuery } from "../../formats/query.ts"
import { itemStatuses } from "../../formats/query-match.ts"
import { type FilterOptions, statusTest, toFilter } from "./query-filter.ts"

const now = Date.parse("2026-02-16T12:00:00Z")

function filtersOf(text: string) {
  const parsed = parseQuery(text)
  if (parsed.kind === "invalid") throw new Error(parsed.problems[0]?.message)
  return parsed.query.filters
}

test("filters of one key are collected, excluded ones separately", () => {
  expect(
    toFilter(filtersOf("type:note type:decision tag:api -tag:old author:Kane source:inbox id:x scope:team"), {}, now),
  ).toEqual({
    agent: "*",
    types: ["note", "decision"],
    tags: ["api"],
    authors: ["Kane"],
    sources: ["inbox"],
    ids: ["x"],
    scopes: ["team"],
    not: { tags: ["old"] },
  })
})

test("of several times all must match: the narrowest decides, of excluded ones the widest", () => {
  const day = (text: string) => Date.parse(`2026-${text}T00:00:00Z`)
  expect(
    toFilter(filtersOf("after:2026-01-01 after:2026-02-01 recent:2d before:2026-02-10 before:2026-02-20"), {}, now),
  ).toMatchObject({
    after: now - 2 * 86_400_000,
    before: day("02-10"),
  })
  expect(toFilter(filtersOf("-after:2026-01-01 -after:2026-02-01 -before:2025-01-01"), {}, now).not).toEqual({
    after: day("01-01"),
    before: Date.parse("2025-01-01T00:00:00Z"),
  })
})

test("as of an earlier time, recent means before that time, and archives count", () => {
  const asOf = Date.parse("2026-01-10T00:00:00Z")
  expect(toFilter(filtersOf("recent:1d"), { asOf }, now)).toEqual({
    agent: "*",
    after: asOf - 86_400_000,
    asOf,
    archived: true,
  })
})

test("one agent's memory is only its own items; a star is not a name", () => {
  expect(toFilter([], { agent: " Jane Doe " }, now)).toEqual({ owner: "jane-doe" })
  expect(toFilter([], { agent: "*" }, now)).toEqual({ agent: "*" })
})

test("items marked [ARCHIVE] are found only when everything, or only archived entries, are requested", () => {
  expect(toFilter([], { all: true }, now)).toMatchObject({ archived: true, superseded: true })
  expect(toFilter(filtersOf("status:archived"), {}, now)).toMatchObject({ archived: true })
  expect(toFilter([], {}, now)).not.toHaveProperty("archived")
})

const live = ["in force", "proposed", "expired", "archived", "on trial", "proven", "noted"]

test.each([
  ["", {}, [...live, "ended"]],
  ["", { all: true }, [...live, "ended", "superseded"]],
  ["status:active", { all: true }, live],
  ["status:review-due", {}, ["expired"]],
  ["status:superseded", {}, ["superseded"]],
  ["status:superseded status:review-due", {}, ["expired", "superseded"]],
  ['status:on-trial status:"In force"', {}, ["in force", "on trial"]],
  ["status:active -status:review-due", {}, live.filter((status) => status !== "expired")],
  ["-status:active", {}, ["ended", "superseded"]],
  ["-status:superseded", {}, [...live, "ended"]],
  ["status:active -status:active", {}, []],
] satisfies [string, FilterOptions, string[]][])("status by %j %j: %j", (text, options, expected) => {
  expect(itemStatuses.filter(statusTest(filtersOf(text), options))).toEqual(
    itemStatuses.filter((status) => expected.includes(status)),
  )
})
