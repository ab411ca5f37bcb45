import fc from "fast-check"
import { expect, test } from "vitest"
import { type EntriesFile, type ReadContext, readEntries } from "./entries.ts"
import { normalizeEntry, writeEntry } from "./entry-writer.ts"
import { assignIds, entryId } from "./ids.ts"
import { makeRoster } from "./legacy/roster.ts"
import { instantOf } from "./timestamp.ts"

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 2_000)
const roster = makeRoster(["Keaton", "Fenster", "r2-d2", "Scribe"])

// Every byte is accounted for

const semLines = [
  ...[
    "### 2026-02-15T14:32:15-0800: decision: A",
    "### 2026-02-15: memory: B",
    "### 2026-02-30: note: C",
    "### 2026-02-15T14:32Z: DIRECTIVE: D",
  ],
  ...[
    "**type:** decision  ",
    "**timestamp:** 2026-02-15T14:32:15-0800",
    "**author:** Keaton",
    "**scope:** agent:r2-d2",
    "**details:**",
  ],
  ...[
    "**rationale:** x",
    "**related:**",
    "- issue: #1",
    "**supersedes:** 2026-02-15T14:32:15-0800",
    "---",
    "---  ",
    "----",
    "\\---",
  ],
]
const legacyLines = [
  ...[
    "### 2026-03-01: A",
    "## 2026-03-01 — B",
    "# 2026-03-01T10:00:00Z C",
    "### [2026-03-01] D",
    "### 2026-02-14/15: E",
    "### ✅ 2026-03-01: F",
  ],
  ...[
    "# Decision: G",
    "## Decision 4: H",
    "### ADR-001: I",
    "### D-XYZ: J",
    "### Keaton — K",
    "### 3. L",
    "### M (2026-03-01)",
    "### N — 2026-03-01",
  ],
  ...[
    "### User directive — O",
    "### Directive: P",
    "### Q",
    "**2026-02-10: R**",
    "## Active Decisions",
    "## Context",
    "### P0",
    "#### 2026-03-02: deep",
  ],
  ...[
    "# Squad Decisions",
    "## 2026-03-05",
    "## March 2026",
    "### ~~S~~",
    "### T [SUPERSEDED by ADR-001]",
    "#",
    "## ",
    "####### no",
    "#no",
  ],
  ...[
    "**By:** Keaton",
    "**By**: Fenster (Lead)",
    "__By:__ x",
    "- **Author:** a, b",
    "> **Date:** 2026-03-01",
    "By: x",
    "Date: March 3, 2026",
  ],
  ...[
    "| **Author** | x |",
    "|---|---|",
    "**By:** a | **Date:** 2026-03-01 · **Status:** done",
    "**What:** w",
    "**Why:**",
    "**Impact:** i",
    "**Status:** superseded",
  ],
]
const historyLines = [
  ...[
    "## Learnings",
    "## Project Context",
    "## Core Context",
    "## Team Updates",
    "- bullet",
    "* bullet",
    "+ bullet",
    "- 2026-03-01: dated",
    "  wrapped",
  ],
  ...[
    "  - nested",
    "📌 Team update (2026-03-01T10:00:00Z): s — decided by Keaton",
    "- 📌 Team update (2026-03-01): s",
    "1. one",
    "\t- tab",
  ],
]
const oddLines = [
  ...[
    "```",
    "```markdown",
    "~~~",
    "- ```",
    "1. ~~~",
    "````",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> theirs",
    "|||||||",
    "---",
    "title: x",
    "author: Keaton",
  ],
  ...[
    "",
    "",
    " ",
    "\t",
    "prose by Keaton.",
    "\uFEFF",
    "\r",
    "a\rb",
    "\u2028",
    "\0",
    "\\",
    "**",
    "****",
    "**:**",
    "__:__",
    "| |",
    "<!-- x -->",
  ],
]
const nastyLine = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...semLines, ...legacyLines, ...historyLines, ...oddLines) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 15 }) },
)
const nastyText = fc
  .tuple(
    fc.constantFrom("", "", "\uFEFF", "---\ntitle: x\nauthor: Keaton\ncreatedAt: 2026-03-01T10:00:00Z\n---\n"),
    fc.array(fc.tuple(nastyLine, fc.constantFrom("\n", "\n", "\n", "\r\n")), { maxLength: 25 }),
    fc.boolean(),
  )
  .map(([start, lines, isEnded]) => {
    const text = start + lines.map(([line, end]) => line + end).join("")
    return isEnded ? text : text.replace(/\r?\n$/, "")
  })

for (const kind of ["decisions", "inbox", "archive", "history"] as const) {
  test(`the segments of any ${kind} file, joined, are the file`, () => {
    const context: ReadContext = {
      kind,
      fileName: "keaton-x-2026-03.md",
      agent: kind === "history" ? "keaton" : undefined,
      roster,
    }
    fc.assert(
      fc.property(nastyText, (text) => {
        const { segments, entries } = readEntries(text, context)
        expect(segments.map((segment) => segment.text).join("")).toBe(text)
        expect(segments.flatMap(({ entry }) => (entry ? [entry] : []))).toEqual(entries)
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    )
  })
}

test("no text makes the reader throw, and none is lost", () => {
  const context: ReadContext = { kind: "decisions", roster, now: new Date("2026-03-01T00:00:00Z") }
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom("decisions", "inbox", "archive", "history"),
      (text, kind) => {
        const file = readEntries(text, { ...context, kind: kind as ReadContext["kind"] })
        expect(joined(file)).toBe(text)
      },
    ),
    { numRuns },
  )
})

test("an empty file and one of only white space have no entries", () => {
  for (const text of ["", "\n", "\uFEFF", " \n\t\r\n", "\r\n\r\n"]) {
    expect(read(text).entries).toEqual([])
    expect(joined(read(text))).toBe(text)
  }
})

test("the initial file of a team has no entries", () => {
  const text =
    "# Squad Decisions\n\n## Active Decisions\n\nNo decisions recorded yet.\n\n## Governance\n\n- All agree.\n- Record it here.\n"
  const { entries, diagnostics } = read(text)
  expect([entries, diagnostics]).toEqual([[], []])
})

// Old and new in one file

const mixed = `# Squad Decisions

## Active Decisions

### 2026-02-01: Use one index
**By:** Keaton
**What:** One index for all files.
**Why:** Two went apart.

${writeEntry(normalizeEntry({ type: "decision", timestamp: "2026-02-03T10:00:00-08:00", author: "Fenster", title: "Use one queue", details: "One.\n\n---\n\n## Then\n\nTwo.\n\n```md\n### not an entry\n```", rationale: "Fewer parts." }))}
### 2026-02-05 — Use one cache

**Author:** Keaton

#### Context

Slow.

${writeEntry(normalizeEntry({ type: "note", timestamp: "2026-02-07T10:00:00Z".replace("Z", "+00:00"), author: "Keaton", title: "Cache measured", details: "# 2026-02-06: quoted\n\n40 ms." }))}
### 2026-02-09T10:00:00Z: Use one log

**By:** Fenster

---

Text after a rule.
`

test("legacy and SEM entries are read from one file, each by its own rules and in order", () => {
  const { entries, diagnostics } = read(mixed)
  expect(entries.map(({ format, entry }) => [format, entry.title, entry.author])).toEqual([
    ["legacy", "Use one index", "Keaton"],
    ["sem", "Use one queue", "Fenster"],
    ["legacy", "Use one cache", "Keaton"],
    ["sem", "Cache measured", "Keaton"],
    ["legacy", "Use one log", "Fenster"],
  ])
  expect(entries[0]?.entry.rationale).toBe("Two went apart.")
  expect(entries[1]?.entry.details).toBe("One.\n\n---\n\n#### Then\n\nTwo.\n\n```md\n### not an entry\n```")
  expect(entries[2]?.entry.details).toContain("Slow.")
  expect(entries[4]?.entry.details).toContain("Text after a rule.")
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([])
  expect(joined(read(mixed))).toBe(mixed)
})

test("a mixed file read by the rules of an older reader loses no entry", () => {
  const found = olderReader(mixed)
  const { entries } = read(mixed)
  expect(found.map(({ date }) => date)).toEqual(entries.map(({ entry }) => entry.timestamp.slice(0, 10)))
  for (const [index, { entry }] of entries.entries()) {
    expect(found[index]?.title).toContain(entry.title)
    if (entry.details) expect(found[index]?.content).toContain(entry.details.split("\n")[0])
    expect(found[index]?.content).toContain(entry.author)
  }
})

test("converting legacy entries one by one leaves the others byte for byte unchanged", () => {
  const { segments } = read(mixed)
  for (const chosen of segments) {
    if (chosen.entry?.format !== "legacy") continue
    const converted = segments
      .map((each) => (each === chosen ? `${writeEntry(chosen.entry?.entry ?? never())}\n` : each.text))
      .join("")
    const again = read(converted)
    expect(again.entries.map(({ id }) => id)).toEqual(read(mixed).entries.map(({ id }) => id))
    for (const other of segments) {
      if (other.entry && other !== chosen) expect(again.segments.map(({ text }) => text)).toContain(other.text)
    }
  }
})

// Conflicts

test("a merge conflict is reported and not read as an entry's text", () => {
  for (const before of [
    "### 2026-02-01: Old\n**By:** Keaton\n**What:** Fine.\n",
    "### 2026-02-01T10:00:00Z: decision: New\n\n**author:** Keaton\n\n**details:**\n\nFine.\n",
  ]) {
    const conflict =
      "<<<<<<< HEAD\n### 2026-02-02: Ours\n**By:** A\n=======\n### 2026-02-02: Theirs\n**By:** B\n>>>>>>> branch\n"
    const text = `${before}\n${conflict}\n### 2026-02-03: After\n**By:** Fenster\n**What:** Also fine.\n`
    const { entries, diagnostics } = read(text)
    const reported = diagnostics.filter(({ code }) => code === "conflict-marker")
    expect(reported.map(({ severity }) => severity)).toContain("error")
    expect(reported[0]?.line).toBe(text.slice(0, text.indexOf("<<<<<<<")).split("\n").length)
    for (const { entry } of entries) expect(writeEntry(entry)).not.toMatch(/<<<<<<<|>>>>>>>|^=======/m)
    expect(entries[0]?.entry.details ?? entries[0]?.entry.summary).toContain("Fine.")
    expect(entries.at(-1)?.entry).toMatchObject({ title: "After", author: "Fenster" })
    expect(joined(read(text))).toBe(text)
  }
})

test("a conflict shown inside a fence is text", () => {
  const text = "### 2026-02-01: Old\n**By:** Keaton\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n"
  const { entries, diagnostics } = read(text)
  expect(diagnostics.filter(({ code }) => code === "conflict-marker")).toEqual([])
  expect(entries[0]?.entry.details).toContain("<<<<<<< HEAD")
})

// Size

const big: [string, (size: number) => string, number][] = [
  ["unclosed fences", (size) => "```js\ntext\n~~~ x\n".repeat(size / 2), 10_000],
  [
    "unclosed fences of growing length",
    (size) => Array.from({ length: size }, (_, at) => "`".repeat(3 + (at % 50))).join("\nx\n"),
    10_000,
  ],
  ["letters in one line", (size) => "x".repeat(size), 5_000_000],
  ["blanks in one line", (size) => `${" ".repeat(size)}x`, 5_000_000],
  ["list and quote marks in one line", (size) => `${"> - 1. ".repeat(Math.ceil(size / 7))}\`\`\` \``, 5_000_000],
  ["words in one heading", (size) => `### 2026-02-15T14:32:15Z: decision: ${"ab ".repeat(size / 3)}`, 1_000_000],
  ["words in one legacy heading", (size) => `### 2026-02-15: ${"By (x) — ".repeat(size / 9)}`, 160_000],
  ["labels in one line", (size) => `### 2026-02-15: T\n${"**By:** x | ".repeat(size / 12)}`, 1_000_000],
  ["blanks inside a label", (size) => `### 2026-02-15: T\n**By${" ".repeat(size)}:** x`, 5_000_000],
  ["plain headings", (size) => "## Context\n".repeat(size), 40_000],
  [
    "deeper and deeper headings",
    (size) => Array.from({ length: size }, (_, at) => `${"#".repeat((at % 6) + 1)} T`).join("\n"),
    40_000,
  ],
  [
    "dated headings",
    (size) => Array.from({ length: size }, (_, at) => `### 2026-02-${10 + (at % 19)}: T ${at}`).join("\n"),
    4_000,
  ],
  ["SEM headers", (size) => "### 2026-02-15T14:32:15Z: note: T\n".repeat(size), 8_000],
  ["SEM headers with a date only", (size) => "### 2026-02-15: note: T\n".repeat(size), 8_000],
  [
    "superseded headings",
    (size) => Array.from({ length: size }, (_, at) => `### 2026-02-15: T${at} [SUPERSEDED by ADR-${at}]`).join("\n"),
    4_000,
  ],
  ["rules in one entry", (size) => `### 2026-02-15T14:32:15Z: note: T\n${"---\n\n".repeat(size)}x`, 200_000],
  ["blank lines after headings", (size) => `# A\n${"\n".repeat(size)}`.repeat(3), 200_000],
  ["bullets", (size) => `## Learnings\n${"- 2026-02-15: learnt\n".repeat(size)}`, 4_000],
]

for (const [what, make, size] of big) {
  test(`${size.toLocaleString("en")} ${what} are read in linear time`, () => {
    const kind = what === "bullets" ? "history" : "decisions"
    const sizes = [size / 16, size / 4, size].map(Math.floor)
    fastest(make(sizes[0] ?? 0), kind) // warm-up
    for (const [at, each] of sizes.slice(1).entries()) {
      const four = make(each)
      const one = make(sizes[at] ?? 0)
      // A busy machine may spoil one comparison, not three; a slow reader fails at the first, smaller step.
      let ratio = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 3 && ratio >= 8; attempt++) {
        ratio = Math.min(ratio, fastest(four, kind) / Math.max(fastest(one, kind), 5))
      }
      expect(ratio).toBeLessThan(8)
    }
  })
}

// Ids

test("an id has a fixed format and depends only on time, type, author and title", () => {
  const entry = normalizeEntry({
    type: "decision",
    timestamp: "2026-02-15T14:32:15-08:00",
    author: "Keaton",
    title: "Use one index",
  })
  const id = entryId(entry)
  expect(id).toMatch(/^sem-[0-9a-f]{12}$/)
  expect(entryId({ ...entry, details: "Another body", rationale: "Why", scope: "project", tags: ["x"] })).toBe(id)
  expect(entryId({ ...entry, timestamp: "2026-02-15T22:32:15+00:00" })).toBe(id)
  expect(entryId({ ...entry, author: "KEATON" })).toBe(id)
  expect(entryId({ ...entry, title: "Use  one\tindex" })).toBe(id)
  expect(entryId({ ...entry, title: "use one index" })).not.toBe(id)
  expect(entryId({ ...entry, type: "note" })).not.toBe(id)
  expect(entryId({ ...entry, author: "Fenster" })).not.toBe(id)
  expect(entryId({ ...entry, timestamp: "2026-02-15T14:32:16-08:00" })).not.toBe(id)
  expect(entryId({ ...entry, id: "mine" })).toBe("mine")
  expect(entryId({ ...entry, title: "Cafe\u0301" })).toBe(entryId({ ...entry, title: "Café" }))
})

test("the id is the hash of the specification", () => {
  // printf '1771194735\ndecision\nkeaton\nUse one index' | sha256sum
  const entry = normalizeEntry({
    type: "decision",
    timestamp: "2026-02-15T14:32:15-08:00",
    author: "Keaton",
    title: "Use one index",
  })
  expect(entryId(entry)).toBe("sem-cd0a6575cb30")
  // printf '2026-02-15\ndecision\nkeaton\nUse one index' | sha256sum
  expect(entryId({ ...entry, precision: "day" })).toBe("sem-6f4cae2f7473")
})

test("a made-up second is not part of the id", () => {
  const entry = normalizeEntry({
    type: "note",
    timestamp: "2026-02-15T00:00:00+00:00",
    precision: "day",
    author: "A",
    title: "T",
  })
  expect(entryId({ ...entry, timestamp: "2026-02-15T00:00:07+00:00" })).toBe(entryId(entry))
})

test("copies share an id; the same id with another body gets a suffix of four hex digits", () => {
  const one = "### 2026-02-15: Use one index\n**By:** Keaton\n**What:** One for all.\n\n"
  const other = "### 2026-02-15: Use one index\n**By:** Keaton\n**What:** Two, one for each.\n\n"
  const [first, copy, different, again] = read(one + one + other + other).entries.map(({ id }) => id)
  expect(copy).toBe(first)
  expect(different).toMatch(new RegExp(`^${first}-[0-9a-f]{4}$`))
  expect(again).toBe(different)
})

test("an entry keeps its id when its body is edited, and when it is converted", () => {
  const idOf = (text: string) => read(text).entries.map(({ id }) => id)
  const before = "### 2026-02-15: Use one index\n**By:** Keaton\n**What:** One for all.\n"
  expect(idOf(before.replace("One for all.", "One for all files, at last."))).toEqual(idOf(before))
  expect(
    idOf(
      read(before)
        .entries.map(({ entry }) => writeEntry(entry))
        .join(""),
    ),
  ).toEqual(idOf(before))
  expect(idOf(`# Archive\n\n### 2026-02-15: Another\n**By:** Fenster\n**What:** x\n\n${before}`)[1]).toBe(
    idOf(before)[0],
  )
})

test("an explicit id wins, also over a derived one that is the same", () => {
  const base = normalizeEntry({
    type: "note",
    timestamp: "2026-02-15T00:00:00+00:00",
    author: "A",
    title: "T",
    details: "One.",
  })
  const [derived, explicit] = assignIds([base, { ...base, id: "mine", details: "Two." }])
  expect([derived, explicit]).toEqual([entryId(base), "mine"])
})

// Dates without a time

const days = ["2026-03-01", "2026-03-01", "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-03"]

test("entries of one day get distinct seconds in chronological order in a file that starts with the oldest", () => {
  for (const type of ["", "decision: "]) {
    const text = days
      .map((day, index) => `### ${day}: ${type}Title ${index}\n\n**By:** Keaton\n**What:** w\n\n`)
      .join("")
    expect(read(text).entries.map(({ entry }) => [entry.timestamp, entry.precision])).toEqual([
      ["2026-03-01T00:00:00+00:00", "day"],
      ["2026-03-01T00:00:01+00:00", "day"],
      ["2026-03-01T00:00:02+00:00", "day"],
      ["2026-03-02T00:00:00+00:00", "day"],
      ["2026-03-03T00:00:00+00:00", "day"],
      ["2026-03-03T00:00:01+00:00", "day"],
    ])
  }
})

test("in a file that starts with the newest the seconds are counted from the bottom", () => {
  const text = [...days]
    .reverse()
    .map((day, index) => `### ${day}: Title ${index}\n\n**By:** Keaton\n**What:** w\n\n`)
    .join("")
  expect(read(text).entries.map(({ entry }) => entry.timestamp)).toEqual([
    "2026-03-03T00:00:01+00:00",
    "2026-03-03T00:00:00+00:00",
    "2026-03-02T00:00:00+00:00",
    "2026-03-01T00:00:02+00:00",
    "2026-03-01T00:00:01+00:00",
    "2026-03-01T00:00:00+00:00",
  ])
})

test("the seconds of any file are distinct per day and follow its direction, whatever the days", () => {
  const dayList = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(dayList, fc.boolean(), (numbers, isNewestFirst) => {
      const sorted = [...numbers].sort((one, other) => (isNewestFirst ? other - one : one - other))
      const text = sorted.map((day, index) => `### 2026-03-0${day}: T${index}\n**By:** A\n\n`).join("")
      const instants = read(text).entries.map(({ entry }) => instantOf(entry.timestamp))
      expect(new Set(instants).size).toBe(sorted.length)
      const hasDirection = new Set(sorted).size > 1
      if (!hasDirection) return
      const ordered = [...instants].sort((one, other) => (isNewestFirst ? other - one : one - other))
      expect(instants).toEqual(ordered)
    }),
    { numRuns: Math.ceil(numRuns / 10) },
  )
})

test("a made-up second is not one that another entry of the file really has", () => {
  const text = "### 2026-03-01T00:00:00Z: Exact\n**By:** A\n\n### 2026-03-01: By day\n**By:** A\n"
  const [exact, byDay] = read(text).entries.map(({ entry }) => entry.timestamp)
  expect(exact).toBe("2026-03-01T00:00:00+00:00")
  expect(byDay).not.toBe(exact)
  expect(byDay?.startsWith("2026-03-01T00:00:")).toBe(true)
})

test("two entries in one second are both read, with separate ids", () => {
  const text = ["One", "Two"]
    .map((title) => `### 2026-03-01T10:00:00Z: note: ${title}\n\n**author:** A\n\n---\n`)
    .join("\n")
  const { entries } = read(text)
  expect(entries.map(({ entry }) => entry.title)).toEqual(["One", "Two"])
  expect(new Set(entries.map(({ id }) => id)).size).toBe(2)
  expect(entries.map(({ entry }) => entry.timestamp)).toEqual([
    "2026-03-01T10:00:00+00:00",
    "2026-03-01T10:00:00+00:00",
  ])
})

function read(text: string, context: Partial<ReadContext> = {}): EntriesFile {
  return readEntries(text, { kind: "decisions", roster, ...context })
}

function joined({ segments }: EntriesFile): string {
  return segments.map(({ text }) => text).join("")
}

/** CPU milliseconds of the fastest of three runs, so that other load on the machine does not count. */
function fastest(text: string, kind: ReadContext["kind"]): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage()
    const { segments } = readEntries(text, { kind, agent: "keaton", roster })
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
    expect(segments.length).toBeGreaterThan(0)
    if (best > 150) break
  }
  return best
}

/** How SquadUI reads level 3 headings: one that begins with a date is an entry, up to the next heading of the same or a higher level. */
function olderReader(text: string): { date: string; title: string; content: string }[] {
  const lines = text.split("\n")
  const starts = lines.flatMap((line, index) => (/^###\s+\d{4}-\d{2}-\d{2}/.test(line) ? [index] : []))
  return starts.map((start) => {
    const length = lines.slice(start + 1).findIndex((line) => /^#{1,3}\s/.test(line))
    const content = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join("\n")
    const heading = lines[start]?.replace(/^###\s+/, "") ?? ""
    return { date: heading.slice(0, 10), title: heading.slice(10), content }
  })
}

function never(): never {
  throw new Error("not an entry")
}

test("a heading indented by one to three spaces starts an entry; in a list, a fence or deeper it is text", () => {
  const text = [
    "# Decisions",
    " ### 2026-03-01: First ünïcode",
    "**By:** Mira",
    "",
    "1. a step",
    "",
    "   ### 2026-03-09: In the list",
    "",
    "```md",
    "  ### 2026-03-08: In a fence",
    "```",
    "",
    "    ### 2026-03-07: Code",
    "",
    "   ## 2026-03-02: Second",
    "**By:** Otto",
    "",
    "  ### 2026-03-03T10:00:00+0000: note: Third",
    "",
    "**type:** note",
    "**author:** Mira",
    "",
    "**details:**",
    "",
    "Kept.",
    "",
    "---",
    "",
    "  ### 2026-03-04: Fourth",
    "**By:** Otto",
    "",
  ].join("\n")
  const { entries, segments } = readEntries(text, { kind: "decisions" })
  expect(entries.map(({ entry, line }) => [entry.title, entry.author, line])).toEqual([
    ["First ünïcode", "Mira", 2],
    ["Second", "Otto", 15],
    ["Third", "Mira", 18],
    ["Fourth", "Otto", 29],
  ])
  expect(segments.map((segment) => segment.text).join("")).toBe(text)
  const atMargin = readEntries(text.replace(/^ +(#+ 2026-03-0[1-4])/gm, "$1"), { kind: "decisions" })
  expect(entries.map(({ id }) => id)).toEqual(atMargin.entries.map(({ id }) => id))
})
