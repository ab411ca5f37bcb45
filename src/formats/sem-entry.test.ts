import { existsSync, readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { type EntriesFile, type ReadContext, type ReadEntry, readEntries } from "./entries.ts"
import { makeRoster } from "./legacy/roster.ts"
import { parseTimestamp, toMarkdownTimestamp } from "./timestamp.ts"

// The shapes people are shown first

const decisionExample = `### 2026-05-04T09:12:30-0700: decision: One queue for every job

**type:** decision  
**timestamp:** 2026-05-04T09:12:30-0700  
**author:** Marlow  
**contributors:** Ines, Ostap  
**scope:** team  
**tags:** queue, workers, v2.1.0  

**summary:** All background jobs go through one queue - workers pull, nobody pushes.

**details:**

Three kinds of worker share the queue:
- \`small\` (quick) - mails and cache
- \`medium\` (usual) - imports and exports  
- \`large\` (slow) - reports, whole rebuilds

The job's \`## Kind\` field says which worker takes it. A user can overrule it. Kind → worker is a table.

**rationale:** Two queues lost jobs at the border between them: $0.10 each, 3% of them at night.

**related:**
- proposal: 017
- issue: #44
- decision: 2026-04-30T08:00:00-0700

---
`

const memoryExample = `### 2026-05-04T11:45:00-0700: memory: Close the pool after each suite

**type:** memory  
**timestamp:** 2026-05-04T11:45:00-0700  
**author:** Ines  
**scope:** agent:Ines  
**tags:** testing, pool  

**summary:** An open pool keeps the test process alive.

**details:**

What every suite does:
\`\`\`javascript
let pool;
beforeAll(() => {
  pool = openPool({ size: 2 });
});
afterAll(() => pool.close());
\`\`\`

Without close() the runner waits for ever.

**rationale:** Met it twice in PR #51. Each file alone was green, the whole run hung.

---
`

const directiveExample = `### 2026-05-04T08:00:00-0700: directive: No secrets in fixtures

**type:** directive  
**timestamp:** 2026-05-04T08:00:00-0700  
**author:** ostap  
**scope:** team  
**tags:** git, hygiene  

**summary:** Never put a real key into test/fixtures/ — not even an expired one.

**details:**

Three nets catch it:
1. .gitignore (for local files)
2. the scan in CI (blocks the merge)
3. the files array in package.json (keeps it out of the package)

When one is found, revoke it first.

**rationale:** It happened. A person asked for the rule after the clean-up of v2.0.0.

---
`

const noteExample = `### 2026-05-04T12:00:00-0700: note: Editor support tried out

**type:** note  
**timestamp:** 2026-05-04T12:00:00-0700  
**author:** Marlow  
**scope:** project  
**tags:** spike, editor  

**summary:** The editor starts agents as they are — nothing to change.

**details:**

What was found:
- anonymous runs work
- files can be read
- models need a file of their own (later)

All of it: docs/spikes/017b-editor.md

**related:**
- proposal: 017b
- issue: #32

---
`

test("a decision is read with all its fields", () => {
  const { entry, format } = readOne(decisionExample)
  expect(format).toBe("sem")
  expect(entry).toEqual({
    type: "decision",
    timestamp: "2026-05-04T09:12:30-07:00",
    precision: "second",
    author: "Marlow",
    contributors: ["Ines", "Ostap"],
    title: "One queue for every job",
    summary: "All background jobs go through one queue - workers pull, nobody pushes.",
    scope: "team",
    tags: ["queue", "workers", "v2.1.0"],
    details: [
      "Three kinds of worker share the queue:",
      "- `small` (quick) - mails and cache",
      "- `medium` (usual) - imports and exports  ",
      "- `large` (slow) - reports, whole rebuilds",
      "",
      "The job's `## Kind` field says which worker takes it. A user can overrule it. Kind → worker is a table.",
    ].join("\n"),
    rationale: "Two queues lost jobs at the border between them: $0.10 each, 3% of them at night.",
    related: [
      { type: "proposal", identifier: "017" },
      { type: "issue", identifier: "#44" },
      { type: "decision", identifier: "2026-04-30T08:00:00-0700" },
    ],
    supersedes: [],
    supersededBy: [],
    extensions: [],
  })
})

test("a memory keeps the code block in its details whole", () => {
  const { entry } = readOne(memoryExample)
  expect(entry).toMatchObject({ type: "memory", author: "Ines", scope: "agent:Ines", tags: ["testing", "pool"] })
  expect(entry.summary).toBe("An open pool keeps the test process alive.")
  expect(entry.details?.split("\n")).toEqual([
    "What every suite does:",
    "```javascript",
    "let pool;",
    "beforeAll(() => {",
    "  pool = openPool({ size: 2 });",
    "});",
    "afterAll(() => pool.close());",
    "```",
    "",
    "Without close() the runner waits for ever.",
  ])
  expect(entry.rationale).toBe("Met it twice in PR #51. Each file alone was green, the whole run hung.")
})

test("a directive keeps its numbered list, a note its relations and no rationale", () => {
  const directive = readOne(directiveExample).entry
  expect(directive).toMatchObject({ type: "directive", author: "ostap", title: "No secrets in fixtures" })
  expect(directive.summary).toBe("Never put a real key into test/fixtures/ — not even an expired one.")
  expect(directive.details).toContain("2. the scan in CI (blocks the merge)\n3. the files array")
  expect(directive.details?.endsWith("When one is found, revoke it first.")).toBe(true)
  expect(directive.rationale).toBe("It happened. A person asked for the rule after the clean-up of v2.0.0.")

  const note = readOne(noteExample).entry
  expect(note).toMatchObject({ type: "note", scope: "project", author: "Marlow" })
  expect(note.details?.endsWith("All of it: docs/spikes/017b-editor.md")).toBe(true)
  expect(note.related).toEqual([
    { type: "proposal", identifier: "017b" },
    { type: "issue", identifier: "#32" },
  ])
  expect("rationale" in note).toBe(false)
})

test("well formed entries give no diagnostics, one after the other or alone", () => {
  const all = [decisionExample, memoryExample, directiveExample, noteExample]
  for (const text of all) expect(read(text).diagnostics).toEqual([])
  const file = read(`# Squad Decisions\n\n${all.join("\n")}`)
  expect(file.diagnostics).toEqual([])
  expect(file.entries.map(({ entry }) => entry)).toEqual(all.map((text) => readOne(text).entry))
})

test("the short form, metadata and then prose, is read with the prose as details", () => {
  const text = `### 2026-05-04T09:12:30-0700: decision: One queue for every job

**type:** decision  
**timestamp:** 2026-05-04T09:12:30-0700  
**author:** Marlow  

Everything else stands here...
`
  const { entry } = readOne(text)
  expect(entry).toMatchObject({ author: "Marlow", details: "Everything else stands here...", scope: "team" })
  expect(entry.summary).toBe("One queue for every job")
  expect(codesOf(text)).toContain("implicit-details")
})

test("an entry with a date but no time is read as a loose one, and missing parts are reported", () => {
  const text = `### 2024-10-27: directive: Arrow functions only
**type:** directive
**scope:** team
**summary:** Callbacks are arrow functions.
`
  const { entry, format } = readOne(text)
  expect(format).toBe("sem")
  expect(entry).toMatchObject({
    type: "directive",
    precision: "day",
    timestamp: "2024-10-27T00:00:00+00:00",
    scope: "team",
    author: "unknown",
    title: "Arrow functions only",
    summary: "Callbacks are arrow functions.",
  })
  const { diagnostics } = read(text)
  expect(severityOf(diagnostics, "date-only")).toBe("warning")
  expect(severityOf(diagnostics, "missing-author")).toBe("warning")
  expect(severityOf(diagnostics, "missing-timestamp")).toBe("warning")
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
})

test("a loose memory in an agent's history is that agent's own", () => {
  const text = `### 2024-10-28: memory: Button behind the bar
**type:** memory
**summary:** The button hides behind the bar unless its z-index is 99.
`
  const { entry, scopeExplicit } = readOne(text, { kind: "history", fileName: "history.md", agent: "dallas" })
  expect(entry).toMatchObject({ type: "memory", author: "dallas", scope: "agent:dallas", precision: "day" })
  expect(scopeExplicit).toBe(false)
})

// The documents that proposed the format are not ours to ship; DREY_FORMAT_DOCUMENTS names a folder that holds them.
const documents = process.env.DREY_FORMAT_DOCUMENTS ?? ""
const areDocumentsHere = documents !== "" && existsSync(documents)

test.skipIf(!areDocumentsHere)("every Markdown example of the proposal is read as one entry with its fields", () => {
  const blocks = markdownBlocksOf(documentText("000_"))
  expect(blocks.length).toBeGreaterThanOrEqual(7)
  for (const block of blocks) {
    const each = readOne(block)
    const { entry } = each
    expect(lengthInCodePoints(entry.summary)).toBeLessThanOrEqual(120)
    if (each.format === "legacy") continue // the rejected alternative with a block of JSON
    expect(block).toContain(`: ${entry.type}: ${entry.title}\n`)
    expect(block).toContain(`**author:** ${entry.author}`)
    expect(block).toContain(toMarkdownTimestamp(entry.timestamp))
    if (block.includes("**summary:**")) expect(block).toContain(`**summary:** ${entry.summary}\n`)
    if (block.includes("**tags:**")) expect(block).toContain(`**tags:** ${entry.tags.join(", ")}`)
    expect(entry.details?.length).toBeGreaterThan(0)
    expect(entry.details).not.toMatch(/^\*\*(summary|rationale|related|details):\*\*/m)
    expect(entry.rationale !== undefined).toBe(block.includes("**rationale:**"))
    expect(entry.related.length).toBe(block.match(/^- (proposal|issue|decision): /gm)?.length ?? 0)
    expect(entry.extensions).toEqual([])
  }
  expect(blocks.filter((block) => readOne(block).format === "sem").length).toBe(blocks.length - 1)
})

test.skipIf(!areDocumentsHere)("the two examples of the tutorial are read as loose entries", () => {
  const examples = documentText("002_").match(/^### \d{4}.*\n(?:\*\*.*\n)+/gm) ?? []
  expect(examples.length).toBe(2)
  const [directive, memory] = examples.map((text) => readOne(text).entry)
  expect(directive).toMatchObject({ type: "directive", scope: "team", precision: "day" })
  expect(memory).toMatchObject({ type: "memory", precision: "day" })
  for (const [index, text] of examples.entries()) {
    const { entry } = readOne(text)
    expect(text).toContain(`**summary:** ${entry.summary}\n`)
    expect(codesOf(text)).toContain("date-only")
    expect(index).toBeLessThan(2)
  }
})

// Timestamps

test("a header's time may be spelt with Z, ±hh:mm or ±hhmm, with or without seconds and fraction", () => {
  const spellings = [
    ["2026-02-15T14:32:15Z", "2026-02-15T14:32:15+00:00"],
    ["2026-02-15T14:32:15-08:00", "2026-02-15T14:32:15-08:00"],
    ["2026-02-15T14:32:15-0800", "2026-02-15T14:32:15-08:00"],
    ["2026-02-15T14:32:15+0530", "2026-02-15T14:32:15+05:30"],
    ["2026-02-15T14:32+01:00", "2026-02-15T14:32:00+01:00"],
    ["2026-02-15T14:32Z", "2026-02-15T14:32:00+00:00"],
    ["2026-02-15T14:32:15.123Z", "2026-02-15T14:32:15+00:00"],
    ["2026-02-15T14:32:15.5-0800", "2026-02-15T14:32:15-08:00"],
    ["2026-02-15T14:32:15-0000", "2026-02-15T14:32:15+00:00"],
  ]
  for (const [written, timestamp] of spellings) {
    const { entry, format } = readOne(`### ${written}: decision: Spelling\n\n**author:** A\n`)
    expect({ format, timestamp: entry.timestamp, precision: entry.precision }).toEqual({
      format: "sem",
      timestamp,
      precision: "second",
    })
  }
})

test("Markdown times are written with the offset of the source, without a colon or a fraction", () => {
  const written = (text: string) => toMarkdownTimestamp(parseTimestamp(text) ?? "")
  expect(written("2026-02-15T14:32:15.999-08:00")).toBe("2026-02-15T14:32:15-0800")
  expect(written("2026-02-15T14:32Z")).toBe("2026-02-15T14:32:00+0000")
  expect(written("2026-02-15T14:32:15-0000")).toBe("2026-02-15T14:32:15+0000")
  expect(written("2026-02-15T14:32:15+1400")).toBe("2026-02-15T14:32:15+1400")
})

test("an impossible time is not a timestamp and is never rolled over", () => {
  const impossible = [
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-02-30T10:00:00Z",
    "2026-02-29T10:00:00Z",
    "2026-04-31T10:00:00Z",
    "2026-01-00T10:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T10:60:00Z",
    "2026-01-01T10:00:61Z",
    "2026-01-01T10:00:00+14:01",
    "2026-01-01T10:00:00+1500",
    "2026-01-01T10:00:00-0860",
    "2026-01-01T10:00:00",
    "2026-01-01 10:00:00Z",
  ]
  for (const text of impossible) expect([text, parseTimestamp(text)]).toEqual([text, undefined])
  expect(parseTimestamp("2028-02-29T10:00:00Z")).toBe("2028-02-29T10:00:00+00:00")
})

test("a header with an impossible date is reported and gives no SEM entry with another date", () => {
  for (const written of ["2026-02-30T10:00:00Z", "2026-13-01", "2026-01-01T10:00:00+1500"]) {
    const text = `${sem("Before")}\n### ${written}: decision: Impossible\n\n**author:** A\n`
    const { entries, diagnostics } = read(text)
    expect(entries[0]?.entry.title).toBe("Before")
    expect(entries[0]?.entry.details).toBe("Text of Before.")
    expect(entries.slice(1).filter(({ format }) => format === "sem")).toEqual([])
    expect(entries.map(({ entry }) => entry.timestamp.slice(0, 10))).not.toContain("2026-03-02")
    expect(entries.map(({ entry }) => entry.timestamp.slice(0, 10))).not.toContain("2027-01-01")
    const line = text.slice(0, text.indexOf(`### ${written}`)).split("\n").length
    expect(diagnostics.some((each) => each.line === line && each.severity !== "info")).toBe(true)
  }
})

test("an impossible timestamp field is reported and the header's time counts", () => {
  const text = withFields("**timestamp:** 2026-02-31T10:00:00Z", "**author:** A")
  expect(readOne(text).entry.timestamp).toBe("2026-02-15T14:32:15-08:00")
  expect(read(text).diagnostics.some(({ code, line }) => code === "invalid-field" && line === 3)).toBe(true)
})

test("a time before 2020 or more than a day ahead of the clock is called implausible", () => {
  const now = new Date("2026-02-15T12:00:00Z")
  const isImplausible = (when: string) =>
    read(`### ${when}: note: When\n\n**timestamp:** ${when}\n**author:** A\n`, { now }).diagnostics.some(
      ({ code, severity }) => code === "implausible-date" && severity === "warning",
    )
  expect(isImplausible("2019-12-31T23:59:59Z")).toBe(true)
  expect(isImplausible("2020-01-01T00:00:00Z")).toBe(false)
  expect(isImplausible("2026-02-16T11:59:00Z")).toBe(false)
  expect(isImplausible("2026-02-16T12:01:00Z")).toBe(true)
  expect(isImplausible("2026-02-16T20:01:00+1000")).toBe(false)
})

// Headers

test("the type is read in any case", () => {
  const text = "### 2026-02-15T14:32:15-0800: Decision: Case\n\n**Type:** DECISION\n**author:** A\n"
  expect(readOne(text).entry.type).toBe("decision")
  expect(codesOf(text)).not.toContain("header-field-mismatch")
})

test("a header may have several blanks and tabs between its parts and after it", () => {
  const { entry, format } = readOne("###\t 2026-02-15T14:32:15Z: \tnote:\t  Wide  open \t\n\n**author:** A\n")
  expect(format).toBe("sem")
  expect(entry.title).toBe("Wide  open")
})

test("a header must stand at the margin or up to three spaces from it, at level 3, with a known type and a title", () => {
  const no = [
    "    ### 2026-02-15T14:32:15Z: note: Indented",
    "#### 2026-02-15T14:32:15Z: note: Too deep",
    "## 2026-02-15T14:32:15Z: note: Too shallow",
    "### 2026-02-15T14:32:15Z: idea: Unknown type",
    "### 2026-02-15T14:32:15Z: note:",
    "###2026-02-15T14:32:15Z: note: No blank",
    "> ### 2026-02-15T14:32:15Z: note: Quoted",
  ]
  for (const line of no) {
    expect([line, read(`${line}\n\nText.\n`).entries.filter(({ format }) => format === "sem").length]).toEqual([
      line,
      0,
    ])
  }
})

test("a title may contain colons, type names and Markdown", () => {
  const title = "decision: use `a: b` — **not** `c`: #12 ###"
  expect(readOne(`### 2026-02-15T14:32:15Z: note: ${title}\n\n**author:** A\n`).entry.title).toBe(title)
})

test("the type field wins over the header, the header's time over the field, and both are reported", () => {
  const text = withFields("**type:** note", "**timestamp:** 2026-02-15T14:32:16-0800", "**author:** A")
  expect(readOne(text).entry).toMatchObject({ type: "note", timestamp: "2026-02-15T14:32:15-08:00" })
  const mismatches = read(text).diagnostics.filter(({ code }) => code === "header-field-mismatch")
  expect(mismatches.map(({ severity }) => severity)).toEqual(["warning", "warning"])
})

test("the same instant in another spelling is not a mismatch, and neither is a summary that differs from the title", () => {
  const text = withFields("**timestamp:** 2026-02-15T22:32:15Z", "**author:** A", "**summary:** Said at more length.")
  expect(codesOf(text)).not.toContain("header-field-mismatch")
  expect(readOne(text).entry).toMatchObject({ title: "Fields", summary: "Said at more length." })
})

test("over-long titles and summaries give a warning and are never cut", () => {
  const fits = "é".repeat(118) + "🐿".repeat(2)
  const tooLong = `${fits}!`
  const text = (title: string, summary: string) =>
    `### 2026-02-15T14:32:15Z: note: ${title}\n\n**timestamp:** 2026-02-15T14:32:15Z\n**author:** A\n\n**summary:** ${summary}\n`
  expect(codesOf(text(fits, fits))).toEqual([])
  expect(severityOf(read(text(tooLong, "Short")).diagnostics, "title-too-long")).toBe("warning")
  expect(severityOf(read(text("Short", tooLong)).diagnostics, "summary-too-long")).toBe("warning")
  expect(readOne(text(tooLong, `${tooLong}?`)).entry).toMatchObject({ title: tooLong, summary: `${tooLong}?` })
})

// Where an entry ends

test("three dashes inside a body end nothing: as a break, before a table, as front matter, before a level 3 heading", () => {
  const bodies = [
    "Above.\n\n---\n\nBelow.",
    "Above.\n---\nBelow.",
    "Above.\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "---\nname: x\nmode: y\n---\n\nText after the front matter.",
    "Above.\n\n---\n\n### Just a heading\n\nBelow.",
    "Above.\n\n---\n\n#### Deep\n\nBelow.",
    "Above.\n\n---\n---\n\nBelow.",
    "Above.\n\n---\n- a list",
    "Above.\n\n---\n\n```\n# in a fence\n```",
  ]
  for (const body of bodies) {
    const { entries, segments } = read(`${sem("First", body)}\n${sem("Second")}`)
    expect(entries.map(({ entry }) => [entry.title, entry.details])).toEqual([
      ["First", body],
      ["Second", "Text of Second."],
    ])
    expect(segments.map(({ text }) => text).join("")).toBe(`${sem("First", body)}\n${sem("Second")}`)
  }
})

test("three dashes before a heading of level 1 or 2 end the entry; what follows is not its text", () => {
  for (const heading of ["# Part two", "## Governance"]) {
    const { entries, segments } = read(`${sem("First")}\n${heading}\n\n- Rule one\n`)
    expect(entries.map(({ entry }) => entry.details)).toEqual(["Text of First."])
    expect(segments.at(-1)?.kind).toBe("other")
    expect(segments.at(-1)?.text).toContain("- Rule one\n")
  }
})

test("without three dashes a heading of level 1 or 2 stays in the body", () => {
  const body = "Above.\n\n## Context\n\nMore.\n\n# Also this\n\nEnd."
  expect(readOne(sem("First", body)).entry.details).toBe(body)
})

test("only exactly three dashes end an entry; blanks may follow them", () => {
  for (const line of ["----", "***", "- - -", "___", " ---", "--- x", "\\\\---"]) {
    const text = sem("First").replace("\n---\n", `\n${line}\n`)
    const [only, ...more] = read(`${text}\n## Governance\n\nRules.\n`).entries
    expect(more).toEqual([])
    expect(only?.entry.rationale).toContain("Rules.")
  }
  const [only] = read(`${sem("First").replace("\n---\n", "\n--- \t\n")}\n## Governance\n\nRules.\n`).entries
  expect(only?.entry.rationale).toBe("Because.")
})

test("an entry ends at the next header even without three dashes", () => {
  const text = sem("First").replace("---\n", "") + sem("Second")
  expect(read(text).entries.map(({ entry }) => [entry.title, entry.details])).toEqual([
    ["First", "Text of First."],
    ["Second", "Text of Second."],
  ])
})

test("a dated heading of level 1 to 3 ends a SEM entry and starts a legacy one, even inside its body", () => {
  for (const heading of ["# 2026-03-01: Older style", "## 2026-03-01 — Older style", "### [2026-03-01] Older style"]) {
    const { entries } = read(`${sem("First").replace("---\n", "")}${heading}\n\n**By:** B\n**What:** Things.\n`)
    expect(entries.map(({ format }) => format)).toEqual(["sem", "legacy"])
    expect(entries[0]?.entry.details).toBe("Text of First.")
    expect(entries[1]?.entry).toMatchObject({ title: "Older style", author: "B" })
  }
  const deep = "Above.\n\n#### 2026-03-01: A day in the story\n\nBelow."
  expect(readOne(sem("First", deep)).entry.details).toBe(deep)
})

test("text after an inner rule stays with the entry even at the end of the file", () => {
  const { entries } = read(`${sem("First")}\nA postscript.\n`)
  expect(entries.length).toBe(1)
  expect(JSON.stringify(entries[0]?.entry)).toContain("A postscript.")
})

// Fences

test("nothing inside a fence is structure", () => {
  const inside = [
    "### 2026-03-01T10:00:00Z: decision: An example",
    "### 2026-03-01: Old example",
    "# Title",
    "## Section",
    "---",
    "**details:**",
    "**type:** note",
    "",
    "\\---",
  ].join("\n")
  const fences = [
    ["```", "```"],
    ["```markdown", "```"],
    ["````md title", "`````"],
    ["~~~", "~~~"],
    ["~~~ ```", "~~~~"],
    ["- ```sh", "  ```"],
    ["1. ```sh", "   ```"],
    ["> ```", "> ```"],
    ["   ```", "```"],
    ["\t```", "\t```"],
    ["* - ```", "    ```"],
    ["12. ~~~", "    ~~~"],
  ]
  for (const [opener, closer] of fences) {
    const body = `Above.\n\n${opener}\n${inside}\n${closer}\n\nBelow.`
    const text = `${sem("First", body)}\n${sem("Second")}`
    const { entries, diagnostics } = read(text)
    expect(entries.map(({ entry }) => [entry.title, entry.details])).toEqual([
      ["First", body],
      ["Second", "Text of Second."],
    ])
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["fenced-header", "warning"]])
    expect(diagnostics[0]?.line).toBe(text.slice(0, text.indexOf("### 2026-03-01T")).split("\n").length)
  }
})

test("a fence is closed only by its own character, at least as long, with nothing after it", () => {
  const body = "````\n```\n~~~~\n```` x\n---\n\n# Still code\n`````\n\nBelow."
  const { entries } = read(`${sem("First", body)}\n${sem("Second")}`)
  expect(entries.map(({ entry }) => entry.details)).toEqual([body, "Text of Second."])
})

test("backticks in the text after an opener make it not an opener", () => {
  const body = "``` is how `code` starts\n\n**Impact:** none"
  const { entries, diagnostics } = read(`${sem("First", body)}\n${sem("Second")}`)
  expect(entries.map(({ entry }) => entry.details)).toEqual([body, "Text of Second."])
  expect(diagnostics).toEqual([])
})

test("an unclosed fence is text, is reported, and hides nothing below it", () => {
  for (const opener of ["```js", "~~~", "- ```", "> ~~~~ text"]) {
    const body = `Above.\n\n${opener}\nlet x = 1`
    const text = `${sem("First", body)}\n${sem("Second")}`
    const { entries, diagnostics } = read(text)
    expect(entries.map(({ entry }) => [entry.title, entry.details])).toEqual([
      ["First", body],
      ["Second", "Text of Second."],
    ])
    expect(entries[0]?.entry.rationale).toBe("Because.")
    const line = text.slice(0, text.indexOf(opener)).split("\n").length
    expect(diagnostics.map((each) => [each.code, each.severity, each.line])).toEqual([
      ["unclosed-fence", "warning", line],
    ])
  }
})

// Fields

test("a label alone opens details, rationale and related; they do not run into the summary", () => {
  const text = withFields(
    "**author:** A",
    "**summary:** Short.",
    "**details:**",
    "The what.",
    "**rationale:**",
    "The why.",
    "**related:**",
    "- issue: #1",
  )
  expect(readOne(text).entry).toMatchObject({
    summary: "Short.",
    details: "The what.",
    rationale: "The why.",
    related: [{ type: "issue", identifier: "#1" }],
  })
})

test("the colon may be outside the bold", () => {
  const text = withFields("**type**: note", "**author**: A", "**tags**: a, b", "", "**summary**: Short.")
  expect(readOne(text).entry).toMatchObject({ type: "note", author: "A", tags: ["a", "b"], summary: "Short." })
})

test("known names are read in any case before a body, inside one only in their exact spelling", () => {
  const body = [
    "**Impact:** high",
    "**Summary:** not a field",
    "**Details:**",
    "**TYPE:** neither",
    "**supersededby:** x",
    "**type**: outside",
  ].join("\n")
  const text = withFields("**AUTHOR:** A", "**Tags:** a", "**Details:**", "", body, "", "**rationale:** Why.")
  const { entry } = readOne(text)
  expect(entry).toMatchObject({ author: "A", tags: ["a"], details: body, rationale: "Why.", extensions: [] })
})

test("a one-line field continues over the following lines up to a blank one", () => {
  const text = withFields(
    "**author:** A",
    "**summary:** It goes on",
    "  and on,",
    "then stops.",
    "",
    "**details:** What.",
  )
  expect(readOne(text).entry).toMatchObject({ summary: "It goes on and on, then stops.", details: "What." })
})

test("unknown fields are kept with their exact name, text and order", () => {
  const text = withFields(
    "**Reviewed-By:** Zoë & Bo",
    "**author:** A",
    "**x:** *1*,  `2`",
    "**Two Words:** https://example.org/?a=b",
    "**under_score:** ünï 🐿",
  )
  expect(readOne(text).entry.extensions).toEqual([
    { name: "Reviewed-By", value: "Zoë & Bo" },
    { name: "x", value: "*1*,  `2`" },
    { name: "Two Words", value: "https://example.org/?a=b" },
    { name: "under_score", value: "ünï 🐿" },
  ])
})

test("after related or a one-line field that follows a body, any label is a field again", () => {
  const text = withFields(
    "**author:** A",
    "**details:**",
    "",
    "**Impact:** text of the body",
    "",
    "**related:**",
    "- issue: #1",
    "",
    "**Ticket:** 7",
    "**Tags:** late",
    "**Mood:** good",
  )
  expect(readOne(text).entry).toMatchObject({
    details: "**Impact:** text of the body",
    related: [{ type: "issue", identifier: "#1" }],
    tags: ["late"],
    extensions: [
      { name: "Ticket", value: "7" },
      { name: "Mood", value: "good" },
    ],
  })
})

test("of a repeated one-line field the first counts and the other is kept", () => {
  const text = withFields("**author:** A", "**scope:** project", "**author:** B", "**Scope:** team")
  const { entry } = readOne(text)
  expect(entry).toMatchObject({ author: "A", scope: "project" })
  expect(entry.extensions).toEqual([
    { name: "author", value: "B" },
    { name: "Scope", value: "team" },
  ])
  const duplicates = read(text).diagnostics.filter(({ code }) => code === "duplicate-field")
  expect(duplicates.map(({ severity, line }) => [severity, line])).toEqual([
    ["warning", 5],
    ["warning", 6],
  ])
})

test("a repeated body field is appended after a blank line and reported", () => {
  const text = withFields(
    "**author:** A",
    "**details:** One.",
    "",
    "**rationale:** Why.",
    "",
    "**details:**",
    "",
    "Two.",
    "",
  )
  expect(readOne(text).entry).toMatchObject({ details: "One.\n\nTwo.", rationale: "Why." })
  expect(severityOf(read(text).diagnostics, "duplicate-field")).toBe("warning")
})

test("text outside any field is details, wherever it is", () => {
  const text = withFields("**author:** A", "", "Prose with `code`.", "", "- and", "- a list", "", "**rationale:** Why.")
  expect(readOne(text).entry).toMatchObject({ details: "Prose with `code`.\n\n- and\n- a list", rationale: "Why." })
  expect(codesOf(text)).toContain("implicit-details")

  const afterRelated = withFields(
    "**author:** A",
    "**details:** One.",
    "",
    "**related:**",
    "- issue: #1",
    "",
    "Afterwards.",
  )
  expect(readOne(afterRelated).entry).toMatchObject({
    details: "One.\n\nAfterwards.",
    related: [{ type: "issue", identifier: "#1" }],
  })
})

test("By repeats the author or replaces it; a different By is kept", () => {
  expect(readOne(withFields("**author:** A", "**By:** A")).entry).toMatchObject({ author: "A", extensions: [] })
  expect(readOne(withFields("**By:** B", "**scope:** team")).entry).toMatchObject({ author: "B", extensions: [] })
  expect(codesOf(withFields("**timestamp:** 2026-02-15T14:32:15-0800", "**By:** B"))).not.toContain("missing-author")
  expect(readOne(withFields("**author:** A", "**By:** C")).entry).toMatchObject({
    author: "A",
    extensions: [{ name: "By", value: "C" }],
  })
})

test("a body loses its outer blank lines and nothing else", () => {
  const text = withFields(
    "**author:** A",
    "**details:**",
    "",
    " \t",
    "\tindented  ",
    "",
    "",
    "    code",
    "  last \t",
    "",
    "\t",
    "",
  )
  expect(readOne(text).entry.details).toBe("\tindented  \n\n\n    code\n  last \t")
})

test("tags and lists are trimmed, and a tag repeated in another case is dropped", () => {
  const text = withFields(
    "**author:** A",
    "**tags:**  Cache , api,, cache,API , v1.0 ",
    "**contributors:** B ,C,",
    "**supersedes:** x, y",
  )
  expect(readOne(text).entry).toMatchObject({
    tags: ["Cache", "api", "v1.0"],
    contributors: ["B", "C"],
    supersedes: ["x", "y"],
  })
})

test("related is read with dashes, without them, and as one line", () => {
  const expected = [
    { type: "issue", identifier: "#18" },
    { type: "decision", identifier: "2026-02-10T09:15:00-0800" },
    { type: "pr", identifier: "#7" },
  ]
  const dashes = withFields(
    "**author:** A",
    "**related:**",
    "- issue: #18",
    "- decision: 2026-02-10T09:15:00-0800",
    "- PR: #7",
  )
  const plain = withFields(
    "**author:** A",
    "**related:**",
    "issue: #18",
    "decision: 2026-02-10T09:15:00-0800",
    "pr: #7",
  )
  const inline = withFields("**author:** A", "**related:** issue: #18, decision: 2026-02-10T09:15:00-0800, pr: #7")
  for (const text of [dashes, plain, inline]) {
    expect(readOne(text).entry.related).toEqual(expected)
    expect(codesOf(text)).not.toContain("unknown-related-type")
  }
})

test("a relation of an unknown type is kept with a warning", () => {
  const text = withFields(
    "**author:** A",
    "**related:**",
    "- ticket: OPS-7",
    "- skill: testing",
    "- memory: sem-0123456789ab",
  )
  expect(readOne(text).entry.related).toEqual([
    { type: "ticket", identifier: "OPS-7" },
    { type: "skill", identifier: "testing" },
    { type: "memory", identifier: "sem-0123456789ab" },
  ])
  const unknown = read(text).diagnostics.filter(({ code }) => code === "unknown-related-type")
  expect(unknown.map(({ severity }) => severity)).toEqual(["warning"])
})

test("expires, id, precision, review and the links of supersession are read", () => {
  const text = withFields(
    "**author:** A",
    "**supersedes:** 2026-01-01T00:00:00Z, sem-0123456789ab",
    "**supersededBy:** sem-ba9876543210",
    "**expires:** 2026-12-31T23:59:59-0800",
    "**id:** 7f3a",
    "**precision:** day",
    "**review:** unknown author",
  )
  const { entry, id } = readOne(text)
  expect(entry).toMatchObject({
    supersedes: ["2026-01-01T00:00:00Z", "sem-0123456789ab"],
    supersededBy: ["sem-ba9876543210"],
    expires: "2026-12-31T23:59:59-08:00",
    id: "7f3a",
    precision: "day",
    review: "unknown author",
    extensions: [],
  })
  expect(id).toBe("7f3a")
})

test("a decision without rationale gives a warning, a directive without one only information, others nothing", () => {
  const severity = (type: string) =>
    severityOf(read(`### 2026-02-15T14:32:15Z: ${type}: Why\n\n**author:** A\n`).diagnostics, "missing-rationale")
  expect(severity("decision")).toBe("warning")
  expect(severity("directive")).toBe("info")
  expect(severity("note")).toBe(undefined)
  expect(severity("memory")).toBe(undefined)
})

test("escaped lines of a body are read without their first backslash, in fences with it", () => {
  const text = withFields(
    "**author:** A",
    "**details:**",
    "",
    "\\### 2026-03-01: A heading in the text",
    "\\\\---",
    "\\**type:** x",
    "\\**Impact:** keeps it",
    "\\# keeps it",
    "```",
    "\\---",
    "```",
    "\\# [2026-03-01] too",
  )
  expect(readOne(text).entry.details?.split("\n")).toEqual([
    "### 2026-03-01: A heading in the text",
    "\\---",
    "**type:** x",
    "\\**Impact:** keeps it",
    "\\# keeps it",
    "```",
    "\\---",
    "```",
    "# [2026-03-01] too",
  ])
})

// Scope and author

test("scopes may name agents and skills with hyphens, dots, digits and any letters", () => {
  for (const scope of [
    "team",
    "project",
    "agent:r2-d2",
    "agent:fact-checker",
    "skill:squad-conventions",
    "agent:Zoë",
    "skill:v1.2_x",
  ]) {
    const each = readOne(withFields("**author:** A", `**scope:** ${scope}`))
    expect([each.entry.scope, each.scopeExplicit]).toEqual([scope, true])
  }
})

test("an invalid scope is reported and the default counts", () => {
  for (const scope of ["everyone", "agent:", "agent:two words", "skill:-x", "team, project", "agent:a/b"]) {
    const text = withFields("**author:** A", `**scope:** ${scope}`)
    expect([scope, readOne(text).entry.scope]).toEqual([scope, "team"])
    expect(codesOf(text)).toContain("invalid-field")
  }
})

test("without a scope decisions, directives and notes are the team's, memories their author's", () => {
  const scopeOf = (type: string, context: Partial<ReadContext> = {}) =>
    readOne(`### 2026-02-15T14:32:15Z: ${type}: Scope\n\n**author:** Mary Ann\n`, context).entry.scope
  expect(scopeOf("decision")).toBe("team")
  expect(scopeOf("directive")).toBe("team")
  expect(scopeOf("note")).toBe("team")
  expect(scopeOf("memory")).toBe("agent:Mary-Ann")
  const history = { kind: "history", fileName: "history.md", agent: "r2-d2" } as const
  expect(scopeOf("memory", history)).toBe("agent:r2-d2")
  expect(scopeOf("decision", history)).toBe("team")
})

test("a missing author is looked up as in legacy entries before it is called unknown", () => {
  const header = "### 2026-02-15T14:32:15Z: decision: Cache the index\n\n**type:** decision\n"
  const roster = makeRoster(["Keaton", "Fenster"])
  expect(readOne(header, { kind: "history", fileName: "history.md", agent: "hockney" }).entry.author).toBe("hockney")
  expect(readOne(header, { kind: "inbox", fileName: "keaton-cache.md", roster }).entry.author).toBe("Keaton")
  expect(readOne(`${header}\nFenster measured it.\n`, { roster }).entry.author).toBe("Fenster")
  expect(readOne(header, { roster }).entry.author).toBe("unknown")
  expect(severityOf(read(header).diagnostics, "missing-author")).toBe("warning")
})

// Bytes

test("CRLF, LF and mixed line ends give the same entry, and the file is kept byte for byte", () => {
  const expected = readOne(decisionExample).entry
  const windows = decisionExample.replaceAll("\n", "\r\n")
  const mixed = decisionExample.replace(/\n/g, (_, at: number) => (at % 2 === 0 ? "\n" : "\r\n"))
  for (const text of [windows, mixed, `\uFEFF${decisionExample}`, `\uFEFF${windows}`]) {
    expect(readOne(text).entry).toEqual(expected)
    expect(read(text).diagnostics).toEqual([])
    expect(joined(read(text))).toBe(text)
  }
})

test("an entry at the end of a file without a line end is read whole", () => {
  const { entry } = readOne(withFields("**author:** A", "**rationale:** Last words").trimEnd())
  expect(entry.rationale).toBe("Last words")
  expect(readOne(decisionExample.trimEnd()).entry).toEqual(readOne(decisionExample).entry)
})

test("an entry knows its lines", () => {
  const { entries } = read(`# Squad Decisions\n\n${sem("First")}\n\n${sem("Second")}`)
  const text = `# Squad Decisions\n\n${sem("First")}\n\n${sem("Second")}`
  const lines = text.split("\n")
  for (const each of entries) expect(lines[each.line - 1]).toContain(`: ${each.entry.title}`)
  expect(lines[(entries[1]?.endLine ?? 0) - 1]).toBe("---")
})

function read(text: string, context: Partial<ReadContext> = {}): EntriesFile {
  const file = readEntries(text, { kind: "decisions", ...context })
  expect(joined(file)).toBe(text)
  return file
}

function readOne(text: string, context: Partial<ReadContext> = {}): ReadEntry {
  const { entries } = read(text, context)
  expect(entries.length).toBe(1)
  return entries[0] as ReadEntry
}

function joined({ segments }: EntriesFile): string {
  return segments.map(({ text }) => text).join("")
}

function codesOf(text: string): string[] {
  return read(text).diagnostics.map(({ code }) => code)
}

function severityOf(diagnostics: EntriesFile["diagnostics"], code: string): string | undefined {
  return diagnostics.find((each) => each.code === code)?.severity
}

/** A complete decision, so that only what a test adds can be a problem. */
function sem(title: string, details = `Text of ${title}.`): string {
  const when = "2026-02-15T14:32:15-0800"
  return `### ${when}: decision: ${title}

**type:** decision  
**timestamp:** ${when}  
**author:** Keaton  
**scope:** team  

**summary:** About ${title}.

**details:**

${details}

**rationale:** Because.

---
`
}

/** A header with the given lines below it, the first of them on line 3. */
function withFields(...lines: string[]): string {
  return `### 2026-02-15T14:32:15-0800: decision: Fields\n\n${lines.join("\n")}\n`
}

function lengthInCodePoints(text: string): number {
  return [...text].length
}

function documentText(prefix: string): string {
  const name = readdirSync(documents).find((each) => each.startsWith(prefix)) ?? ""
  return readFileSync(`${documents}/${name}`, "utf8").replaceAll("\r\n", "\n")
}

/** The Markdown blocks of a text; blocks inside them (a fence with a language, closed by a bare one) belong to them. */
function markdownBlocksOf(text: string): string[] {
  const blocks: string[] = []
  let block: string[] | undefined
  let isInside = false
  for (const line of text.split("\n")) {
    if (!block) {
      if (line === "```markdown") block = []
    } else if (line === "```" && !isInside) {
      blocks.push(`${block.join("\n")}\n`)
      block = undefined
    } else {
      if (line.startsWith("```")) isInside = line !== "```"
      block.push(line)
    }
  }
  return blocks
}

test.each(["../../evil", "a/b c", "x".repeat(81)])(
  "%j is not an id: it is reported and kept unchanged, and the entry has a derived one",
  (bad) => {
    const text = `### 2026-02-15T10:00:00Z: note: Moss\n\n**type:** note\n**timestamp:** 2026-02-15T10:00:00Z\n**author:** Kane\n**id:** ${bad}\n\n**summary:** Moss grows.\n`
    const { entries, diagnostics } = readEntries(text, { kind: "decisions" })
    expect(entries.map(({ id }) => id)).toEqual([expect.stringMatching(/^sem-[0-9a-f]{12}$/)])
    expect(entries[0]?.entry.extensions).toEqual([{ name: "id", value: bad }])
    expect(diagnostics).toMatchObject([{ code: "invalid-field", line: 6 }])
  },
)
