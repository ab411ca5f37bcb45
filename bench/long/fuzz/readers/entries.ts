import { type ReadContext, readEntries } from "../../../../src/formats/entries.ts"
import { writeEntry } from "../../../../src/formats/entry-writer.ts"
import type { FileKind } from "../../../../src/formats/legacy/fallbacks.ts"
import { makeRoster } from "../../../../src/formats/legacy/roster.ts"
import { convertFile } from "../../../../src/team/conversion/file-conversion.ts"
import { legacyEntry, reportEntry, semEntry } from "../../../../test/legacy-fixtures.ts"
import type { Grammar } from "../grammar.ts"
import { expectThat, type Reader } from "../reader.ts"

const roster = makeRoster(["Kane", "Rook", "Wren"])
const now = new Date("2026-03-10T12:00:00Z")

const lines: Grammar = {
  line: [
    "<word>",
    "- <word>: <word>",
    "**<label>:** <word>",
    "> <word>",
    "```\n<word>\n```",
    "| <word> | <word> |",
    "#### <word>",
    "",
  ],
  label: [
    "By",
    "Author",
    "Date",
    "What",
    "Why",
    "Status",
    "summary",
    "details",
    "related",
    "supersedes",
    "expires",
    "id",
    "tags",
    "type",
    "x",
  ],
  lines: ["<line>\n<lines>", "<line>\n", "\n"],
  time: ["2026-02-15T14:32:15-0800", "2026-02-15", "2026-02", "Feb 15, 2026", "<odd>", "2026-02-15T14:32:15Z"],
  type: ["decision", "note", "directive", "memory", "<word>", "note"],
}

/** Squad Entry Markdown: all segments joined are the file, and what is written of an entry reads as that entry. */
export const semEntries: Reader = {
  name: "sem-entries",
  share: 120,
  examples: () => [
    `# Decisions\n\n${semEntry("2026-02-10T09:00:00+0000", "decision", "Use short tokens", {
      fields: [
        "**scope:** team",
        "**tags:** api, login",
        "**supersedes:** 2026-02-01T09:00:00+0000",
        "**status:** accepted",
      ],
      details: "The session lasts:\n\n- fifteen minutes\n\n```ts\n### no heading\n```\n",
    })}\n${semEntry("2026-02-12T09:00:00+0000", "directive", "Never push on Friday", { fields: ["**expires:** 2026-03-01T00:00:00+0000"] })}`,
    semEntry("2026-02-14T09:00:00-0800", "note", "The kitchen is on the left", {
      rationale: "**related:**\n- issue: #44\n- pr: <x>",
    }),
  ],
  grammar: {
    ...lines,
    text: ["<entry><text>", "<lines><text>", "<entry>"],
    entry: [
      "### <time>: <type>: <word>\n\n<lines>\n**summary:** <word>\n\n**details:**\n\n<lines>\n---\n",
      "### <time>: <type>: <word>\n<lines>",
    ],
  },
  open: () => ({ read: (input) => readAsFile(input.toString("utf8"), { kind: "decisions", roster, now }) }),
}

const kinds: readonly FileKind[] = ["decisions", "inbox", "archive", "history"]

/** Every older style; what converts keeps the words of what does not. */
export const legacyEntries: Reader = {
  name: "legacy-entries",
  share: 90,
  examples: () => [
    `# Decisions\n\n${legacyEntry("2026-02-05", "Use lanterns")}\n${legacyEntry("2026-02-06", "Use one index", { by: "Wren", why: "It is measured, see ADR-001." })}`,
    `# Kane\n\n## Learnings\n\n- 2026-02-03: The scheduler drops jobs\n- **2026-02-04** The proxy is cold\n\n📌 Team update (2026-02-07): Wren paints\n`,
    `## 2026-03-01 — Use one index (Keaton)\n\n${reportEntry("2026-02-09")}\n# Decision: Two queues\n**Author:** Rook, Wren\n**Date:** March 3, 2026\n\n### Why\n\nOne is slow.\n`,
    `---\nid: sem-0123456789ab\ntitle: "Paint"\ncreatedAt: 2026-02-15T10:00:00Z\nclass: LOCAL\n---\n\nPaint the elevator.\n`,
  ],
  grammar: {
    ...lines,
    text: ["<entry><text>", "<lines><text>", "<entry>"],
    entry: [
      "### <time>: <word>\n<lines>",
      "## <word> — <time>\n<lines>",
      "- <time>: <word>\n",
      "# Decision: <word>\n**By:** <word>\n<lines>",
    ],
  },
  open: () => ({
    read(input) {
      const text = input.toString("utf8")
      const kind = kinds[text.length % kinds.length] ?? "decisions"
      const context: ReadContext = { kind, fileName: "rook-2026-02-03-notes.md", agent: "rook", roster, now }
      const read = readAsFile(text, context)
      if (text.length > longestConverted) return read
      const converted = convertFile("f.md", text, readEntries(text, context), context, {
        includeReview: true,
        bullets: true,
      })
      return [read, converted.records]
    },
  }),
}

/** A file whose conversion disturbs its neighbours is converted again without one of them: larger ones are tried elsewhere. */
const longestConverted = 8 * 1024

function readAsFile(text: string, context: ReadContext): unknown {
  const { segments, entries, diagnostics } = readEntries(text, context)
  expectThat(segments.map((each) => each.text).join("") === text, "segments joined are the file")
  for (const each of entries.slice(0, 3)) {
    if (each.format !== "sem" || /\r(?!\n)/.test(text)) continue // a lone carriage return may be taken for a line's end
    const written = writeEntry(each.entry)
    const again = readEntries(written, context).entries.map(({ entry }) => writeEntry(entry))
    expectThat(again.length === 1 && again[0] === written, "a written entry reads as one that is written the same")
  }
  return [entries, diagnostics]
}
