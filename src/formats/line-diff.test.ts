import fc from "fast-check"
import { expect, test } from "vitest"
import { diffLines, hunkOf } from "./line-diff.ts"

test("it lists added and removed lines, each range with its position", () => {
  expect(diffLines("a\nb\nc\nd\n", "a\nB\nc\nd\ne\nf\n")).toEqual([
    { line: 2, removed: ["b"], added: ["B"] },
    { line: 5, removed: [], added: ["e", "f"] },
  ])
  expect(diffLines("a\r\nb\r\n", "a\r\nb\r\n")).toEqual([])
})

test("applying the changes to the old text gives the new text", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines: string[] = [...before]
      const toText = (list: string[]) => list.map((line) => `${line}\n`).join("")
      for (const { line, removed, added } of diffLines(toText(before), toText(after))) {
        expect(lines.slice(line - 1, line - 1 + removed.length)).toEqual(removed)
        lines.splice(line - 1, removed.length, ...added)
      }
      expect(lines).toEqual(after)
    }),
  )
})

test("a hunk shows all changes with the lines around them", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
  expect(hunkOf(before, "1\n2\n3\n4\n5\nsix\n7\n8a\n8b\n9\n", 11)).toEqual([
    "@@ -13,7 +13,8 @@",
    ...[" 3", " 4", " 5", "-6", "+six", " 7", "-8", "+8a", "+8b", " 9"],
  ])
  expect(hunkOf("", "new\n")).toEqual(["@@ -1,0 +1,1 @@", "+new"])
  expect(hunkOf(before, before)).toEqual([])
})
