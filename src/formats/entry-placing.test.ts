import { expect, test } from "vitest"
import { starterFiles } from "../team/setup.ts"
import { appendEntries } from "./entry-placing.ts"

const context = { kind: "decisions" as const, fileName: "decisions.md" }
const entry = (title: string) =>
  `### 2026-02-03T09:00:00+0000: decision: ${title}\n\n**type:** decision  \n**author:** Wren  \n\n**summary:** ${title}.\n\n---\n`
const [starter = ""] = starterFiles.map(({ text }) => text)
const [head = "", rules = ""] = starter.replace("No decisions recorded yet.\n\n", "").split(/(?=## Governance)/)

test("entries go below the active decisions and above the governance section, and no other byte changes", () => {
  const one = appendEntries(head + rules, [entry("Use tabs")], context)
  expect(one).toBe(`${head}${entry("Use tabs")}\n${rules}`)
  const two = appendEntries(one, [entry("Use two queues")], context)
  expect(two).toBe(`${head}${entry("Use tabs")}\n${entry("Use two queues")}\n${rules}`)
})

test("an entry that would absorb the governance section goes to the end", () => {
  const open = entry("Use tabs").replace("\n---\n", "")
  expect(appendEntries(head + rules, [open], context)).toBe(`${head}${rules}\n${open}`)
})

test("legacy entries among the active decisions are unchanged", () => {
  const legacy = "### 2026-01-05: Use one index\n**By:** Kane\n\nIt is enough.\n\n"
  const text = appendEntries(head + legacy + rules, [entry("Use tabs")], context)
  expect(text).toBe(`${head}${legacy}${entry("Use tabs")}\n${rules}`)
})

test("without both sections, in a fence, and in other files entries go to the end", () => {
  const other = "# Squad Decisions\n\n## Governance\n\n- One rule.\n"
  expect(appendEntries(other, [entry("Use tabs")], context)).toBe(`${other}\n${entry("Use tabs")}`)
  const fenced = "## Active Decisions\n\n```\n## Governance\n```\n"
  expect(appendEntries(fenced, [entry("Use tabs")], context)).toBe(`${fenced}\n${entry("Use tabs")}`)
  const archive = { kind: "archive" as const, fileName: "decisions-archive.md" }
  expect(appendEntries(head + rules, [entry("Use tabs")], archive)).toBe(`${head}${rules}\n${entry("Use tabs")}`)
})

test("line ends of the file are kept", () => {
  const text = (head + rules).replaceAll("\n", "\r\n")
  const piece = entry("Use tabs").replaceAll("\n", "\r\n")
  const merged = appendEntries(text, [piece], context)
  expect(merged).toBe(`${head}${entry("Use tabs")}\n${rules}`.replaceAll("\n", "\r\n"))
})
