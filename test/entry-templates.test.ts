import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { readEntries } from "../src/formats/entries.ts"
import { entryTypes } from "../src/formats/entry.ts"
import { writeEntry } from "../src/formats/entry-writer.ts"

test.each(entryTypes)("the template of a %s is a valid entry, exactly as Drey writes it", (type) => {
  const text = readFileSync(new URL(`../templates/entries/${type}.md`, import.meta.url), "utf8")
  const { entries, diagnostics } = readEntries(text, { kind: "decisions" })
  expect(diagnostics).toEqual([])
  expect(entries.map(({ entry }) => entry.type)).toEqual([type])
  expect(entries.map(({ entry }) => writeEntry(entry)).join("")).toBe(text)
})
