import { expect, test } from "vitest"
import { parseQuery } from "../../../src/formats/query.ts"
import { describeSpan, spanInQuery, withSpan } from "./span.ts"

const february = { from: Date.UTC(2026, 1, 1), to: Date.UTC(2026, 2, 1) }

test("a span takes the place of the one that the query asked for, and the rest stays", () => {
  const query = withSpan("after:2025-01-01 retry  type:decision", february)
  expect(query).toBe("retry type:decision after:2026-02-01 before:2026-03-01")
  expect(spanInQuery(query)).toEqual(february)
  expect(withSpan(query, null)).toBe("retry type:decision")
})

test("a long span is made of whole days, a short one is as it was chosen, and both can be asked for", () => {
  const noon = Date.UTC(2026, 1, 3, 12, 30)
  expect(withSpan("", { from: noon, to: february.to })).toBe("after:2026-02-03 before:2026-03-01")
  const short = withSpan("", { from: noon, to: noon + 3_600_000 })
  expect(short).toBe("after:2026-02-03T12:30:00Z before:2026-02-03T13:30:00Z")
  expect(parseQuery(short).kind).toBe("query")
  expect(spanInQuery(short)).toEqual({ from: noon, to: noon + 3_600_000 })
})

test("several spans in a query are intersected, and an invalid time is ignored", () => {
  const query = "after:2026-01-01 after:2026-02-01 before:soon -before:2026-01-15"
  expect(spanInQuery(query)).toEqual({ from: february.from, to: null })
  expect(spanInQuery("retry")).toBeNull()
})

test("the day before which a span ends is not named as its last", () => {
  expect(describeSpan(february)).toBe("1 Feb 2026 to 28 Feb 2026")
  expect(describeSpan({ from: february.from, to: february.from + 86_400_000 })).toBe("1 Feb 2026")
  expect(describeSpan({ from: null, to: february.to })).toBe("until 28 Feb 2026")
})
