import { expect, test } from "vitest"
import type { Catalogued } from "./catalogue.ts"
import { makeTimeline } from "./overview.ts"

test("weeks begin on Mondays, have no gaps, and count everything up to their end", () => {
  const { weeks, at, types, type } = makeTimeline([
    dated("2026-02-16T00:00:00Z", "decision"),
    dated("2026-02-01T23:59:59Z", "decision"),
    dated("2026-02-02T00:00:00Z", "note"),
    dated(undefined, "note"),
  ])
  expect(weeks).toEqual([
    { start: Date.parse("2026-01-26"), decisions: 1, added: 1, total: 1 },
    { start: Date.parse("2026-02-02"), decisions: 0, added: 1, total: 2 },
    { start: Date.parse("2026-02-09"), decisions: 0, added: 0, total: 2 },
    { start: Date.parse("2026-02-16"), decisions: 1, added: 1, total: 3 },
  ])
  expect(at).toHaveLength(3)
  expect(type.map((place) => types[place])).toEqual(["decision", "note", "decision"])
})

test("items older than ten years count only in the total", () => {
  const { weeks } = makeTimeline([dated("1990-01-01T00:00:00Z", "decision"), dated("2026-02-16T00:00:00Z", "note")])
  expect(weeks).toHaveLength(520)
  expect(weeks[0]).toMatchObject({ added: 0, total: 1 })
  expect(weeks.at(-1)).toMatchObject({ added: 1, total: 2 })
})

test("without dated items there are no weeks", () => {
  expect(makeTimeline([])).toEqual({ types: [], at: [], type: [], ids: [], weeks: [] })
})

function dated(moment: string | undefined, type: string): Catalogued {
  const at = moment === undefined ? null : Date.parse(moment)
  const row = { id: `${type} ${moment}`, type, at, source: "decisions" } as Catalogued["row"]
  return { row, text: "", people: [], owner: undefined, filterable: {} as Catalogued["filterable"] }
}
