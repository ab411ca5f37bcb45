import fc from "fast-check"
import { expect, test } from "vitest"
import { generated } from "../../governance/cleared.ts"
import { type ClearedMemory, markSuperseded, memoryFileName, readMemoryFile, writeMemoryFile } from "./memory-file.ts"

function memory(parts: { title?: string; author?: string; content?: string; metadata?: Record<string, string> } = {}) {
  const { title = "Use tabs", author = "kane", content = "Use tabs.", metadata = {} } = parts
  return {
    id: "0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11",
    class: "DECISION",
    loadGuidance: "ALWAYS",
    title: generated(title),
    author: generated(author),
    createdAt: "2026-07-28T00:46:19.057Z",
    metadata,
    content: generated(content),
  } satisfies ClearedMemory
}

test("the file has Squad's form", () => {
  expect(writeMemoryFile(memory())).toBe(`---
id: 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11
class: DECISION
loadGuidance: [ALWAYS]
title: "Use tabs"
author: "kane"
createdAt: 2026-07-28T00:46:19.057Z
metadata: {}
---

Use tabs.
`)
})

test("any text round-trips, including front matter and dashes", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom("---\nid: x\n---\n\nInner", "a\n---\nb", "--- ", '"quoted"'))
  fc.assert(
    fc.property(text, text, text, (title, author, content) => {
      const written = memory({ title, author, content: content.trim(), metadata: { note: title } })
      const read = readMemoryFile(writeMemoryFile(written))
      expect(read?.content).toBe(content.trim())
      expect(read?.title).toBe(title.trim() === "" && title === "" ? "Untitled memory" : title)
      expect(read?.metadata).toEqual({ note: title })
    }),
  )
})

test("marking a file as superseded does not change its text", () => {
  const before = writeMemoryFile(memory({ content: "One\n---\nloadGuidance: [ALWAYS]\nTwo" }))
  const after = markSuperseded(before, "next-id")
  expect(readMemoryFile(after)).toMatchObject({
    status: "superseded",
    loadGuidance: "ARCHIVE",
    supersededBy: "next-id",
  })
  expect(readMemoryFile(after)?.content).toBe("One\n---\nloadGuidance: [ALWAYS]\nTwo")
  expect(markSuperseded(after, "next-id")).toBe(after)
})

test("a decision dropped into the inbox by hand is not a governed memory", () => {
  expect(readMemoryFile("### 2026-02-15: Use tabs\n**By:** Kane\n")).toBeUndefined()
  expect(readMemoryFile("---\ntitle: Use tabs\n---\n\nText\n")).toBeUndefined()
})

test("a file is named after its author, its title and the beginning of its id", () => {
  const id = "0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11"
  expect(memoryFileName({ id, title: "Use tabs, not spaces!", author: "Kane B." })).toBe(
    "kane-b-use-tabs-not-spaces-0b9f1c2e.md",
  )
  expect(memoryFileName({ id, title: "…", author: "unknown" })).toBe("memory-0b9f1c2e.md")
})
