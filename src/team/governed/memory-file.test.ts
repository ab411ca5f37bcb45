import fc from "fast-check"
import { expect, test } from "vitest"
import { readEntries } from "../../formats/entries.ts"
import { generated } from "../../governance/cleared.ts"
import {
  type ClearedMemory,
  markSuperseded,
  memoryFileName,
  readMemoryFile,
  rewriteMemoryFile,
  writeMemoryFile,
} from "./memory-file.ts"

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

test("the file has Squad's front matter and a SEM entry", () => {
  expect(writeMemoryFile(memory())).toBe(`---
id: 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11
class: DECISION
loadGuidance: [ALWAYS]
title: "Use tabs"
author: "kane"
createdAt: 2026-07-28T00:46:19.057Z
metadata: {}
---

### 2026-07-28T00:46:19+0000: decision: Use tabs

**type:** decision  
**timestamp:** 2026-07-28T00:46:19+0000  
**author:** kane  
**scope:** team  
**id:** 0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11  

**summary:** Use tabs.

---
`)
})

test("the body is an entry whatever the content looks like, and the content is read from it unchanged", () => {
  const contents = [
    "One line. And another sentence.",
    "# A heading\n\n### 2026-01-01T00:00:00Z: note: Not an entry\n\ntext\n\n---\n\n# More\n\n**details:** no field",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\n---\n### x\n```",
    "---\nid: x\nclass: LOCAL\n---\n\nInner",
    "\\### 2026-01-01: escaped already",
  ]
  for (const content of contents) {
    const text = writeMemoryFile(memory({ content, metadata: { scope: "agent:kane", tags: "cache, css" } }))
    const { entries, segments } = readEntries(text, { kind: "inbox" })
    expect(entries, content).toHaveLength(1)
    expect(segments.map(({ kind }) => kind)).toEqual(["preamble", "sem"])
    expect(entries[0]?.entry).toMatchObject({ id: memory().id, scope: "agent:kane", tags: ["cache", "css"] })
    expect(readMemoryFile(text)?.content).toBe(content)
  }
})

test("what no entry could return unchanged is written as plain text, and an entry given as content stays as it is", () => {
  const open = "```sh\nnpm ci"
  const sem = writeMemoryFile(memory()).slice(writeMemoryFile(memory()).indexOf("###")).trimEnd()
  const longer = sem.replace("\n---", "\n**rationale:** Kept.\n\n---")
  for (const content of [open, longer]) {
    const text = writeMemoryFile(memory({ content }))
    expect(text).toContain(`---\n\n${content}\n`)
    expect(readMemoryFile(text)?.content).toBe(content)
  }
  expect(readEntries(writeMemoryFile(memory({ content: longer })), { kind: "inbox" }).entries).toHaveLength(1)
})

test("files that Squad wrote, and promoted from ours, are read as it means them", () => {
  const text = writeMemoryFile(memory({ content: "Use tabs.\n\nEverywhere." }))
  const body = text.split("---").slice(2).join("---").trim() // as Squad promotes
  const promoted = text
    .slice(0, text.indexOf("\n---\n"))
    .replace(/id: .*/, "id: 11111111-5a77-4c8e-9d52-3f6a0f1f8f11")
    .replace("class: DECISION", "class: POLICY")
  const file = `${promoted}\n---\n\n${body}\n`
  expect(readMemoryFile(file)).toMatchObject({ class: "POLICY", content: "Use tabs.\n\nEverywhere." })
  expect(readEntries(file, { kind: "inbox" }).entries[0]?.id).toBe("11111111-5a77-4c8e-9d52-3f6a0f1f8f11")
  const plain = `${text.slice(0, text.indexOf("\n---\n"))}\n---\n\nPlain text.\n`
  expect(readMemoryFile(plain)?.content).toBe("Plain text.")
})

test("a new text changes the entry's words and keeps its other fields; another guidance keeps the body byte for byte", () => {
  const before = writeMemoryFile(memory({ content: "Use tabs.\n\nEverywhere." })).replace(
    "**scope:** team",
    "**scope:** project",
  )
  const pinned = rewriteMemoryFile(before, { loadGuidance: "ON-DEMAND" })
  expect(pinned).toBe(before.replace("[ALWAYS]", "[ON-DEMAND]"))
  const after = rewriteMemoryFile(before, { title: generated("Use spaces"), content: generated("Use two spaces.") })
  expect(after).toContain("decision: Use spaces\n")
  expect(after).toContain("**scope:** project")
  expect(readMemoryFile(after)).toMatchObject({ title: "Use spaces", content: "Use two spaces.", author: "kane" })
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
