import { expect, test } from "vitest"
import { readCline } from "./cline.ts"

test("every section of a memory bank is an entry: patterns are memories, the project's story notes", () => {
  const entries = readCline([
    { path: "memory-bank/projectbrief.md", text: "# Brief\n\nA shop.\n\n## Goals\n\nSell.\n" },
    {
      path: "memory-bank/systemPatterns.md",
      text: "## Layers\n\nFaces call the core.\n\n```md\n## not a section\n```\n",
    },
    { path: "memory-bank/other.md", text: "## Ignored\n\nText.\n" },
  ])
  expect(entries.map(({ type, title }) => [type, title])).toEqual([
    ["note", "projectbrief: Brief"],
    ["note", "projectbrief: Goals"],
    ["memory", "systemPatterns: Layers"],
  ])
  expect(entries[2]?.details).toContain("## not a section")
})
