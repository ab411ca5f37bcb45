import { expect, test } from "vitest"
import { toggleInQuery, valuesInQuery, withoutKey } from "./edit-query.ts"

test("a filter is added after what was typed, in quotes where it needs them", () => {
  expect(toggleInQuery("", "type", "decision")).toBe("type:decision")
  expect(toggleInQuery('retry  "one budget" ', "author", "Jane Doe")).toBe('retry  "one budget" author:"Jane Doe"')
})

test("a filter that is there is taken away, whatever its case or quotes, and the rest stays", () => {
  expect(toggleInQuery('type:guard  author:"jane doe" retry', "author", "Jane Doe")).toBe("type:guard retry")
  expect(toggleInQuery("TYPE:Guard type:note", "type", "guard")).toBe("type:note")
})

test("a value that a query excludes is not one that it asks for", () => {
  expect(valuesInQuery("type:guard -type:note type:skill", "type")).toEqual(["guard", "skill"])
  expect(withoutKey("-type:note type:skill word", "type")).toBe("-type:note word")
})
