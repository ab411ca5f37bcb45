import fc from "fast-check"
import { expect, test } from "vitest"
import { type EntriesFile, readEntries } from "./entries.ts"
import { type Entry, entryTypes } from "./entry.ts"
import { type NewEntry, normalizeEntry, writeEntry } from "./entry-writer.ts"
import { demoteHeadings, findFences } from "./markdown.ts"

const numRuns = Math.ceil(Number(process.env.DREY_PROPERTY_RUNS ?? 5_000) / 5) // of each of the five properties

// The canonical form

test("an entry with every field is written in the canonical order", () => {
  const entry = normalizeEntry({
    type: "decision",
    timestamp: "2026-05-04T09:12:30-07:00",
    precision: "day",
    author: "Marlow",
    contributors: ["Ines", "Ostap"],
    title: "One queue",
    summary: "All jobs go through one queue.",
    scope: "project",
    tags: ["queue", "v2.1.0"],
    details: "The what.\n\n- a\n- b",
    rationale: "The why.",
    related: [
      { type: "issue", identifier: "#44" },
      { type: "decision", identifier: "2026-04-30T08:00:00-0700" },
    ],
    supersedes: ["2026-04-01T08:00:00-0700", "sem-0123456789ab"],
    supersededBy: ["sem-ba9876543210"],
    expires: "2026-12-31T00:00:00+00:00",
    id: "q-1",
    review: "month only",
    extensions: [
      { name: "status", value: "accepted" },
      { name: "Two Words", value: "x" },
    ],
  })
  expect(writeEntry(entry)).toBe(`### 2026-05-04T09:12:30-0700: decision: One queue

**type:** decision  
**timestamp:** 2026-05-04T09:12:30-0700  
**author:** Marlow  
**contributors:** Ines, Ostap  
**scope:** project  
**tags:** queue, v2.1.0  
**supersedes:** 2026-04-01T08:00:00-0700, sem-0123456789ab  
**supersededBy:** sem-ba9876543210  
**expires:** 2026-12-31T00:00:00+0000  
**id:** q-1  
**precision:** day  
**review:** month only  
**status:** accepted  
**Two Words:** x  

**summary:** All jobs go through one queue.

**details:**

The what.

- a
- b

**rationale:** The why.

**related:**
- issue: #44
- decision: 2026-04-30T08:00:00-0700

---
`)
})

test("absent fields leave no gap and scope is always written", () => {
  expect(writeEntry(plainEntry())).toBe(`### 2026-05-04T09:12:30+0000: note: Small

**type:** note  
**timestamp:** 2026-05-04T09:12:30+0000  
**author:** Ines  
**scope:** team  

**summary:** Small

---
`)
  const withDetails = writeEntry(plainEntry({ details: "What." }))
  expect(withDetails).toContain("**summary:** Small\n\n**details:**\n\nWhat.\n\n---\n")
  const withRelated = writeEntry(plainEntry({ related: [{ type: "pr", identifier: "#1" }] }))
  expect(withRelated).toContain("**summary:** Small\n\n**related:**\n- pr: #1\n\n---\n")
})

test("a rationale is inline if it is one plain line, otherwise it is below its label", () => {
  const written = (rationale: string) =>
    /\*\*rationale:\*\*[\s\S]*?(?=\n\n---\n$)/.exec(writeEntry(plainEntry({ rationale })))?.[0]
  expect(written("One line.")).toBe("**rationale:** One line.")
  expect(written("**bold** start is text")).toMatch(/^\*\*rationale:\*\*(?: |\n\n)\*\*bold\*\* start is text$/)
  for (const block of [
    "One.\nTwo.",
    "- item",
    "* item",
    "+ item",
    "1. item",
    "#### heading",
    "```\ncode\n```",
    "~~~\ncode\n~~~",
  ]) {
    expect(written(block)).toBe(`**rationale:**\n\n${block}`)
  }
})

test("for SquadUI the header is a date and a title, By follows the author, and the entry is read back the same", () => {
  const entry = plainEntry({ extensions: [{ name: "status", value: "x" }] })
  const text = writeEntry(entry, { squadUi: true })
  expect(text.split("\n")[0]).toBe("### 2026-05-04: Small")
  expect(text).toMatch(/\*\*author:\*\* Ines {2}\n\*\*By:\*\* Ines {2}\n\*\*scope:\*\*/)
  expect(read(text).entries.map((each) => each.entry)).toEqual([entry])
})

test("lines of a body that would be structure get one backslash; fenced ones and others get none", () => {
  const details = [
    "**type:** x",
    "**details:**",
    "\\**related:**",
    "**Details:** stays",
    "**type**: stays",
    "\\\\---",
    "---",
    "text",
    "```",
    "---",
    "### 2026-01-01T00:00:00Z: note: x",
    "**summary:** x",
    "```",
    "#### 2026-01-01: stays",
    "----",
  ]
  const body = /\*\*details:\*\*\n\n([\s\S]*)\n\n---\n$/.exec(
    writeEntry(plainEntry({ details: details.join("\n") })),
  )?.[1]
  expect(body?.split("\n")).toEqual([
    "\\**type:** x",
    "\\**details:**",
    "\\\\**related:**",
    "**Details:** stays",
    "**type**: stays",
    "\\\\\\---",
    "---",
    "text",
    "```",
    "---",
    "### 2026-01-01T00:00:00Z: note: x",
    "**summary:** x",
    "```",
    "#### 2026-01-01: stays",
    "----",
  ])
})

test("dated headings and dashes before a section are escaped in bodies whose headings were not demoted", () => {
  const details = [
    "# 2026-01-01 x",
    "## [2026-01-01] x",
    "### 2026-01-01T00:00:00Z: note: x",
    "---",
    "",
    "## Section",
    "---",
    "# Part",
  ]
  const entry: Entry = { ...plainEntry(), details: details.join("\n") }
  const text = writeEntry(entry)
  expect(text).toContain(
    [
      "\\# 2026-01-01 x",
      "\\## [2026-01-01] x",
      "\\### 2026-01-01T00:00:00Z: note: x",
      "\\---",
      "",
      "## Section",
      "\\---",
      "# Part",
    ].join("\n"),
  )
  expect(read(text).entries.map((each) => each.entry)).toEqual([entry])
})

test("a fence left open in a body is closed with the same marker", () => {
  for (const [opener, closer] of [
    ["```js", "```"],
    ["~~~~", "~~~~"],
    ["- ```", "```"],
  ]) {
    const text = writeEntry({ ...plainEntry(), details: `${opener}\nlet x` })
    expect(text).toContain(`${opener}\nlet x\n${closer}\n\n---\n`)
  }
})

// Normalising

test("the headings of a new body are moved down together so that the shallowest is at level 4", () => {
  expect(demoteHeadings("# A\n\n## B\n\ntext\n\n#### D")).toBe("#### A\n\n##### B\n\ntext\n\n###### D")
  expect(demoteHeadings("### A\n#### B")).toBe("#### A\n##### B")
  expect(demoteHeadings("#### A\n###### B")).toBe("#### A\n###### B")
  expect(demoteHeadings("# A\n## B\n### C\n#### D\n##### E")).toBe("#### A\n##### B\n###### C\n###### D\n###### E")
  expect(demoteHeadings("```\n# code\n```\n## A")).toBe("```\n# code\n```\n#### A")
  expect(demoteHeadings("#no heading\n\n####### nor this\n\n# A")).toBe("#no heading\n\n####### nor this\n\n#### A")
  expect(normalizeEntry({ ...small, details: "## Then\n\nText" }).details).toBe("#### Then\n\nText")
})

test("headings are not moved when an entry that was read is written again", () => {
  const text = writeEntry({ ...plainEntry(), details: "## Context\n\nText." })
  expect(text).toContain("\n## Context\n")
  expect(canonical(text)).toBe(text)
})

test("an entry with only a summary has it as its title, and vice versa", () => {
  const given = { type: "note", timestamp: small.timestamp, author: "A" } as const
  expect(normalizeEntry({ ...given, summary: "Said." }).title).toBe("Said.")
  expect(normalizeEntry({ ...given, title: "Called." }).summary).toBe("Called.")
})

test("fences are found with their list and quote markers, and unclosed ones are reported", () => {
  const { fenced, unclosed } = findFences(["1. ```sh", "x", "   ```", "y", "~~~", "> ```", "z"])
  expect([...fenced]).toEqual([1, 1, 1, 0, 0, 0, 0])
  expect(unclosed).toEqual([4, 5])
})

// What holds for every entry

const nastyLine = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ...[
        "```",
        "````",
        "```js",
        "``` `x`",
        "~~~",
        "~~~~~",
        "~~~ md",
        "- ```",
        "1. ~~~",
        "> ```",
        "  ```",
        "\t~~~",
        "* - ````",
        "**```",
      ],
      ...["---", "--- ", "---\t", "----", "- - -", "***", " ---", "\\---", "\\\\---", "\\--- ", "\\----", "======="],
      ...[
        "# 2026-01-02 x",
        "## 2026-01-02: x",
        "### 2026-01-02T03:04:05Z: decision: x",
        "### [2026-01-02] x",
        "#### 2026-01-02: x",
      ],
      ...[
        "\\### 2026-01-02: note: x",
        "\\\\# 2026-01-02",
        "### 2026-13-45: decision: x",
        "###\t2026-01-02T03:04:05-0800: memory: y",
      ],
      ...[
        "# x",
        "## x",
        "### x",
        "### Decision: x",
        "## Decision 2: y",
        "# Decision: z",
        "#",
        "##",
        "#### D-ABC: x",
        "**2026-01-02: x**",
      ],
      ...[
        "**By:** x",
        "**Author:** x",
        "**Date:** 2026-01-02",
        "**What:** x",
        "By: x",
        "- **By:** x",
        "| **Author** | x |",
      ],
      ...[
        "**details:**",
        "**Details:**",
        "**rationale:** x",
        "**summary:** x",
        "**related:**",
        "**type:** note",
        "**Type:** x",
        "**id:**",
      ],
      ...[
        "\\**type:** x",
        "\\\\**details:**",
        "\\**By:** x",
        "**details:**x",
        "**details**:",
        "** details:**",
        "**supersededBy:** x",
        "**supersededby:** x",
      ],
      ...[
        "",
        "",
        "",
        " ",
        "\t",
        "\tx",
        "    x",
        "x  ",
        "| a | b |",
        "|---|---|",
        "- a",
        "  - b",
        "1. c",
        "> q",
        "\\",
        "\\\\",
        "\\x",
        "\u2028",
        "\u0085",
      ],
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
)
const body = fc.array(nastyLine, { maxLength: 8 }).map((lines) => lines.join("\n"))
const word = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "x",
      "Keaton",
      "use `a`: b",
      "**By:** y",
      "---",
      "# h",
      "decision: z",
      "```",
      "é 🐿",
      "\\---",
      "a\tb",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 10 }) },
)
const line = word.map((text) => text.replace(/[\n\r]/g, " ")).filter((text) => /[^ \t]/.test(text))
const item = line.map((text) => text.replaceAll(",", ";"))
const timestamp = fc
  .record({
    at: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) }),
    offset: fc.constantFrom("+00:00", "-08:00", "+05:30", "+14:00", "-12:00"),
  })
  .map(({ at, offset }) => new Date(at).toISOString().slice(0, 19) + offset)
const extension = fc.record({
  name: fc.constantFrom(
    "status",
    "role",
    "via",
    "Two Words",
    "under_score",
    "Reviewed-By",
    "x",
    "Impact",
    "Date",
    "Why",
  ),
  value: line,
})
const scope = fc.constantFrom("team", "project", "agent:r2-d2", "agent:Zoë", "skill:a.b_c")
const related = fc.record({
  type: fc.constantFrom("proposal", "issue", "decision", "memory", "pr", "skill", "ticket"),
  identifier: line,
})
const list = (of: fc.Arbitrary<string>) => fc.array(of, { maxLength: 2 })

const anyEntry: fc.Arbitrary<Entry> = fc
  .record(
    {
      type: fc.constantFrom(...entryTypes),
      timestamp,
      author: line,
      title: line,
      summary: line,
      contributors: list(item),
      scope,
      tags: list(item),
      details: body,
      rationale: fc.oneof(body, line),
      related: fc.array(related, { maxLength: 2 }),
      supersedes: list(item),
      supersededBy: list(item),
      expires: timestamp,
      id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/),
      review: line,
      precision: fc.constantFrom("second" as const, "day" as const),
      extensions: fc.array(extension, { maxLength: 2 }),
    },
    { requiredKeys: ["type", "timestamp", "author", "title"] },
  )
  .map((input) => normalizeEntry(invented(input as NewEntry)))
const threeEntries = fc.tuple(anyEntry, anyEntry, anyEntry)
const heading = fc.constantFrom(
  "",
  "# Squad Decisions\n\n",
  "# Squad Decisions\n\n## Active Decisions\n\n",
  "Some text.\n\n",
  "\uFEFF# Decisions\n",
)
const gap = fc.constantFrom("", "\n", "\n\n")

test("reading the written text gives the same entries, all of them and in order", () => {
  fc.assert(
    fc.property(heading, threeEntries, gap, (top, entries, between) => {
      const text = top + entries.map((entry) => writeEntry(entry)).join(between)
      expect(read(text).entries.map(({ entry }) => entry)).toEqual(entries)
    }),
    { numRuns },
  )
})

test("reading text written for SquadUI gives the same entries too", () => {
  fc.assert(
    fc.property(heading, threeEntries, gap, (top, entries, between) => {
      const text = top + entries.map((entry) => writeEntry(entry, { squadUi: true })).join(between)
      expect(read(text).entries.map(({ entry }) => entry)).toEqual(entries)
    }),
    { numRuns },
  )
})

test("a title that begins like a type keeps its type in a header for SquadUI", () => {
  const entry = plainEntry({ title: "Decision: Use tabs" })
  const text = writeEntry(entry, { squadUi: true })
  expect(text.split("\n")[0]).toBe("### 2026-05-04: note: Decision: Use tabs")
  expect(read(text).entries[0]?.entry).toEqual(entry)
})

test("a dated heading without the fields of an entry right below it stays a legacy heading", () => {
  const text = "### 2026-05-04: Use tabs\n\n**type:** decision\n**By:** Ines\n\nThey are wider.\n"
  expect(read(text).entries.map(({ format }) => format)).toEqual(["legacy"])
})

test("a body may show a merge conflict as an example", () => {
  const details = "What git leaves behind:\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n\nThat is all."
  const entries = [
    plainEntry({ details }),
    plainEntry({ title: "Next", details: "<<<<<<< HEAD" }),
    plainEntry({ title: "Last" }),
  ]
  const text = entries.map((entry) => writeEntry(entry)).join("\n")
  expect(read(text).entries.map(({ entry }) => entry)).toEqual(entries)
})

test("three dashes before a deeper heading end nothing, even with labels below it", () => {
  for (const details of [
    "---\n#### Verdict\n**Author:** B",
    "---\n\n#### Decision: x\n\n**By:** B\n**Date:** 2026-01-02",
  ]) {
    const entries = [plainEntry({ details, rationale: "Why." }), plainEntry({ title: "Next" })]
    const text = entries.map((entry) => writeEntry(entry)).join("\n")
    expect(read(text).entries.map(({ entry }) => entry)).toEqual(entries)
  }
})

test("a relation that looks like a fence hides no entry below it", () => {
  const entries = [
    plainEntry({ related: [{ type: "", identifier: "```" }] }),
    plainEntry({ title: "Next" }),
    plainEntry({ title: "Last", details: "```\ncode\n```" }),
  ]
  const text = entries.map((entry) => writeEntry(entry)).join("\n")
  expect(read(text).entries.map(({ entry }) => entry)).toEqual(entries)
})

test("a stored made-up second is not made up again", () => {
  const entries = [
    plainEntry({ timestamp: "2026-05-04T00:00:00+00:00" }),
    plainEntry({ title: "By day", timestamp: "2026-05-04T00:00:00+00:00", precision: "day" }),
    plainEntry({ title: "By day too", timestamp: "2026-05-04T00:00:00+00:00", precision: "day" }),
  ]
  const text = entries.map((entry) => writeEntry(entry)).join("\n")
  expect(read(text).entries.map(({ entry }) => entry)).toEqual(entries)
})

test("every By that repeats the author is dropped, not only the first", () => {
  const text = "### 2026-05-04T09:12:30+0000: note: Small\n\n**By:** A  \n**By:** A\n"
  expect(read(text).entries[0]?.entry.extensions).toEqual([])
})

test("writing what was read gives the same bytes", () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const text = writeEntry(entry)
      expect(canonical(text)).toBe(text)
    }),
    { numRuns },
  )
})

test("appending an entry changes neither the bytes nor the reading of the entries before it", () => {
  fc.assert(
    fc.property(heading, threeEntries, gap, (top, entries, between) => {
      const [one, two, three] = entries.map((entry) => writeEntry(entry))
      const before = `${top}${one}${between}${two}`
      const after = `${before}${between}${three}`
      const earlier = read(before)
      const later = read(after)
      expect(later.entries.slice(0, 2)).toEqual(earlier.entries)
      expect(
        later.segments
          .map(({ text }) => text)
          .join("")
          .startsWith(before),
      ).toBe(true)
    }),
    { numRuns },
  )
})

test("canonicalising any SEM text is idempotent", () => {
  const header = fc.constantFrom(
    "### 2026-02-15T14:32:15-0800: decision: One",
    "### 2026-02-15T14:32:15.5Z: Note: Two words",
    "### 2026-02-16: memory: Date only",
  )
  const field = fc.constantFrom(
    ...["**author:** A", "**By:** A", "**By:** C", "**tags:** a, b, A", "**scope:** agent:x", "**scope:** nobody"],
    ...["**x:** y", "**type:** directive", "**type:** odd", "**summary:** S", "continued", "- pr: #2", "- none", ""],
    ...["**related:** issue: #1, x", "**related:**", "**timestamp:** 2026-02-15T22:32:15Z", "**precision:** day"],
    ...["**expires:** 2026-12-31", "**supersedes:** a, b", "**details:** inline", "**Impact:**", "**Tags:**"],
  )
  const lines = fc.tuple(fc.array(field, { maxLength: 8 }), fc.array(nastyLine, { maxLength: 10 }))
  const text = fc
    .tuple(header, lines, header, lines)
    .map(([first, one, second, other]) =>
      withoutRepeatedFields([first, ...one.flat(), second, ...other.flat(), ""]).join("\n"),
    )
  fc.assert(
    fc.property(text, (source) => {
      const once = canonical(source)
      expect(canonical(once)).toBe(once)
    }),
    { numRuns },
  )
})

test("repeated fields too are in canonical form after one writing", () => {
  const repeated = [
    ["**By:** A", "**By:** A"],
    ["**author:** A", "**author:** B"],
    ["**summary:** S", "**summary:** T"],
    ["**tags:**", "**tags:** a"],
    ["**expires:** some day", "**expires:** 2026-12-31T00:00:00Z"],
    ["**scope:** everyone", "**scope:** agent:x"],
    ["**id:**", "**id:**"],
    ["**type:** odd", "**type:** note"],
  ]
  for (const fields of repeated) {
    const once = canonical(["### 2026-02-15T14:32:15-0800: decision: One", "", ...fields, ""].join("\n"))
    expect(canonical(once)).toBe(once)
  }
})

test("with Windows line ends every line ends so, and the entries are the same", () => {
  fc.assert(
    fc.property(threeEntries, gap, (entries, between) => {
      const options = { lineEnd: "\r\n" } as const
      const text = entries.map((entry) => writeEntry(entry, options)).join(between.replaceAll("\n", "\r\n"))
      expect(text).not.toMatch(/[^\r]\n/)
      const again = read(text).entries.map(({ entry }) => entry)
      expect(again).toEqual(entries)
      expect(again.map((entry) => writeEntry(entry, options)).join(between.replaceAll("\n", "\r\n"))).toBe(text)
    }),
    { numRuns },
  )
})

const small: NewEntry = { type: "note", timestamp: "2026-05-04T09:12:30+00:00", author: "Ines", title: "Small" }

function plainEntry(changes: Partial<NewEntry> = {}): Entry {
  return normalizeEntry({ ...small, ...changes })
}

function read(text: string): EntriesFile {
  return readEntries(text, { kind: "decisions" })
}

/** All SEM entries of a text, written again. */
function canonical(text: string): string {
  const entries = read(text).entries.filter(({ format }) => format === "sem")
  return entries.map(({ entry }) => writeEntry(entry)).join("\n")
}

/** Only the first line of each one-line field; a separate test covers the others. */
function withoutRepeatedFields(lines: string[]): string[] {
  const seen = new Set<string>()
  return lines.filter((each) => {
    const label = /^\*\*([A-Za-z][\w -]*)(?::\*\*|\*\*:)/.exec(each)?.[1]?.toLowerCase()
    if (!label || ["details", "rationale", "related"].includes(label)) return true
    return !seen.has(label) && seen.add(label)
  })
}

/** When the time of day is invented it is one of the first seconds of the day in UTC. */
function invented(entry: NewEntry): NewEntry {
  if (entry.precision !== "day") return entry
  return { ...entry, timestamp: `${entry.timestamp.slice(0, 10)}T00:00:${entry.timestamp.slice(17, 19)}+00:00` }
}
