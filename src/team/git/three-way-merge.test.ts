import fc from "fast-check"
import { expect, test } from "vitest"
import { readEntries } from "../../formats/entries.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { mergeEntries } from "./three-way-merge.ts"

const context = { kind: "decisions" } as const

test("entries that each side added at the end all stay, ours before theirs", () => {
  const merged = merge([a, b], [a, b, decision("Ours")], [a, b, decision("Theirs"), decision("Theirs too")])
  expect(titlesOf(merged)).toEqual(["A", "B", "Ours", "Theirs", "Theirs too"])
})

test("an entry that theirs added in the middle comes after the one it follows there", () => {
  expect(titlesOf(merge([a, b], [a, b], [a, decision("Between"), b]))).toEqual(["A", "Between", "B"])
  expect(titlesOf(merge([a, b], [b], [a, decision("Between"), b]))).toEqual(["Between", "B"])
})

test("an entry changed on one side takes that side's text", () => {
  const changed = decision("A", "other text")
  expect(merge([a, b], [changed, b], [a, b])).toBe(fileOf([changed, b]))
  expect(merge([a, b], [a, b], [changed, b])).toBe(fileOf([changed, b]))
})

test("an entry changed on both sides is kept in both versions, and the reader reports it", () => {
  const merged = merge([a, b], [decision("A", "ours"), b], [decision("A", "theirs"), b])
  const { entries, diagnostics } = readEntries(merged, context)
  expect(entries.map(({ entry }) => entry.details)).toEqual(["ours", "theirs", undefined])
  const [id] = readEntries(fileOf([a]), context).entries.map((entry) => entry.id)
  expect(merged).toContain(`\n---\n\n<!-- drey: conflict ${id} -->\n### 2026-02-01`)
  expect(diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([{ code: "merge-conflict-kept" }])
})

test("a body that shows the comment keeps it as text", () => {
  const text = fileOf([decision("A", "A merge writes\n\n<!-- drey: conflict sem-1 -->\n\nbefore it.")])
  const { entries, diagnostics } = readEntries(text, context)
  expect(entries.map(({ entry }) => entry.details)).toEqual([
    "A merge writes\n\n<!-- drey: conflict sem-1 -->\n\nbefore it.",
  ])
  expect(diagnostics.map(({ code }) => code)).not.toContain("merge-conflict-kept")
})

test("mixed line ends in a file are unchanged", () => {
  const ours = `${fileOf([a])}\n### 2026-02-04: Windows\r\n**By:** Kane\r\n**What:** Lines.\r\r\n`
  expect(mergeEntries({ base: fileOf([a]), ours, theirs: fileOf([a]) }, context)).toBe(ours)
})

test("a kept conflict survives the next merge", () => {
  const first = merge([a, b], [decision("A", "ours"), b], [decision("A", "theirs"), b])
  const next = mergeEntries({ base: first, ours: first, theirs: `${first}\n${decision("C")}` }, context)
  expect(next).toBe(`${first}\n${decision("C")}`)
})

test("an entry deleted here and unchanged there is deleted; one deleted here and changed there is kept", () => {
  expect(titlesOf(merge([a, b], [b], [a, b]))).toEqual(["B"])
  expect(titlesOf(merge([a, b], [a, b], [b]))).toEqual(["B"])
  expect(merge([a, b], [b], [decision("A", "changed"), b])).toContain("changed")
})

test("the order is that of the side that moved something", () => {
  const c = decision("C")
  expect(titlesOf(merge([a, b, c], [a, b, c], [c, a, b]))).toEqual(["C", "A", "B"])
  expect(titlesOf(merge([a, b, c], [b, a, c], [c, a, b, decision("D")]))).toEqual(["B", "D", "A", "C"])
})

test("legacy entries are merged like SEM entries, and one side may convert the file", () => {
  const legacy = "### 2026-02-03: Use tabs\n**By:** Kane\n**What:** Tabs it is.\n"
  const other = "### 2026-02-04: Use one index\n**By:** Ripley\n**What:** One index.\n"
  const [read] = readEntries(`# Decisions\n\n${legacy}`, context).entries
  const converted = writeEntry({ ...(read as NonNullable<typeof read>).entry, id: read?.id ?? "" })
  const merged = mergeEntries(
    {
      base: `# Decisions\n\n${legacy}`,
      ours: `# Decisions\n\n${converted}`,
      theirs: `# Decisions\n\n${legacy}\n${other}`,
    },
    context,
  )
  expect(merged).toBe(`# Decisions\n\n${converted}\n${other}`)
})

test("text around the entries is merged line by line, and if both changed a line both stay", () => {
  const base = `# Decisions\n\nRead me.\nThen this.\nAnd that.\n\n${a}\n## Governance\n\nAll agree.\n`
  const ours = base.replace("Read me.", "Read me first.").replace("All agree.", "Most agree.")
  const theirs = base.replace("And that.", "And those.").replace("All agree.", "Some agree.")
  const merged = mergeEntries({ base, ours, theirs }, context)
  expect(merged).toContain("Read me first.\nThen this.\nAnd those.\n")
  expect(merged).toContain("## Governance\n\nMost agree.\nSome agree.\n")
})

test("sections around the entries are in the file once after both sides added entries between them", () => {
  const file = (...entries: string[]) =>
    [
      "# Squad Decisions",
      "## Active Decisions",
      "Newest last.",
      ...entries,
      "## Governance",
      "- Propose first.",
      "## See also",
      "Docs.",
    ]
      .map((part) => `${part.trimEnd()}\n`)
      .join("\n")
  expect(mergeEntries({ base: file(), ours: file(a), theirs: file(b) }, context)).toBe(file(a, b))
  expect(mergeEntries({ base: file(a), ours: file(b, a), theirs: file(a, decision("C")) }, context)).toBe(
    file(b, a, decision("C")),
  )
})

test("the title is in the file once when one side put an entry above it, and a heading in a code fence is text", () => {
  const base = `# Decisions\n\nRead me.\n\n\`\`\`md\n## Not a heading\n\`\`\`\n\n${a}`
  const merged = mergeEntries({ base, ours: `${b}\n${base}`, theirs: base.replace("me", "this") }, context)
  expect(merged).toBe(`${b}\n${base.replace("me", "this")}`)
})

test("bullets of a history that both sides added stay in their section", () => {
  const history = (bullets: string[]) =>
    `# Kane\n\n## Learnings\n\n${bullets.join("\n")}\n\n## Team Updates\n\n📌 Old news\n`
  const merged = mergeEntries(
    { base: history(["- One"]), ours: history(["- One", "- Ours"]), theirs: history(["- One", "- Theirs"]) },
    { kind: "history", agent: "kane" },
  )
  expect(merged).toBe(history(["- One", "- Ours", "- Theirs"]))
})

test("ours' line ends and byte order mark stay, whatever theirs are", () => {
  const base = fileOf([a])
  const ours = `\uFEFF${base.replaceAll("\n", "\r\n")}`
  const merged = mergeEntries({ base, ours, theirs: fileOf([a, b]) }, context)
  expect(merged).toBe(`\uFEFF${fileOf([a, b]).replaceAll("\n", "\r\n")}`)
})

test("two branches without a common ancestor are united", () => {
  expect(titlesOf(mergeEntries({ base: "", ours: fileOf([a]), theirs: fileOf([b]) }, context))).toEqual(["A", "B"])
})

test("a side without changes leaves the other side's bytes unchanged", () => {
  const line = fc.constantFrom(
    "",
    "---",
    "## Section",
    "text",
    "- bullet",
    "```",
    "### 2026-02-01: Old",
    "**By:** Kane",
    a,
  )
  const file = fc.array(line, { maxLength: 25 }).map((lines) => `${lines.join("\n")}\n`)
  fc.assert(
    fc.property(file, file, (base, changed) => {
      const normal = (text: string) => text.replace(/(?:\s|---)+$/, "")
      expect(normal(mergeEntries({ base, ours: changed, theirs: base }, context))).toBe(normal(changed))
    }),
    { numRuns: 300 },
  )
})

const a = decision("A")
const b = decision("B")

function merge(base: string[], ours: string[], theirs: string[]): string {
  return mergeEntries({ base: fileOf(base), ours: fileOf(ours), theirs: fileOf(theirs) }, context)
}

function fileOf(entries: string[]): string {
  return `# Decisions\n\n${entries.join("\n")}`
}

function titlesOf(text: string): string[] {
  return readEntries(text, context).entries.map(({ entry }) => entry.title)
}

function decision(title: string, details?: string): string {
  const timestamp = "2026-02-01T10:00:00+00:00"
  const text = details === undefined ? {} : { details }
  return writeEntry(
    normalizeEntry({ type: "decision", timestamp, author: "Kane", title, rationale: "Tried.", ...text }),
  )
}
