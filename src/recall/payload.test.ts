import { expect, test } from "vitest"
import { readEntries } from "../formats/entries.ts"
import { readPayload, writePayload } from "./payload.ts"

const [read] = readEntries("### 2026-02-15: Use tabs\n**By:** Ines\n**What:** Tabs.\n**Why:** Width is ours.\n", {
  kind: "decisions",
}).entries
if (!read) throw new Error("no entry was read")

test("an entry round-trips, whether or not the item's text contains its details", () => {
  for (const details of ["Tabs everywhere, é and 😀 too.", "with\0NUL", "", undefined]) {
    const { details: _, ...rest } = read.entry
    const entry = details === undefined ? rest : { ...rest, details }
    const payload = { kind: "entry" as const, read: { ...read, entry } }
    for (const text of [`Summary.\n\n${details}\n\nRationale.`, details ?? "", "Other words."])
      expect(readPayload({ payload: writePayload(payload, text), text })).toEqual(payload)
  }
})

test("details that the item's text contains are not stored twice", () => {
  const details = "Tabs everywhere. ".repeat(50)
  const payload = { kind: "entry" as const, read: { ...read, entry: { ...read.entry, details } } }
  expect(writePayload(payload, `Summary.\n\n${details}`)).not.toContain("Tabs everywhere")
})
