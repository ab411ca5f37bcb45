import { expect, test } from "vitest"
import { completeQuery, type QueryValues } from "./complete-query.ts"

test("an empty place offers every key, a started word the keys that begin with it", () => {
  expect(inserts("|")).toContain("author:")
  expect(inserts("index |")).toHaveLength(10)
  expect(inserts("index a|")).toEqual(["author:", "after:"])
  expect(inserts("-|")).toHaveLength(10)
})

test("a key offers its fixed values and those handed in, in quotes where they need them", () => {
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
