import { expect, test } from "vitest"
import { openStaticEmbedder } from "../../index/embedders/static-embedder.ts"
import type { StoredItem } from "../../index/index-store.ts"
import { findReplaced } from "./replaced-entries.ts"

const day = 24 * 60 * 60 * 1000

function entry(id: string, at: number, title: string, summary: string, more: Partial<StoredItem> = {}): StoredItem {
  const payload = JSON.stringify({ kind: "entry", read: { entry: { summary, details: "" } } })
  const item = { id, at: at * day, source: "decisions", type: "decision", title, text: summary, tags: [], payload }
  return { ...item, supersededBy: [], ...more } as unknown as StoredItem
}

const outcome = openStaticEmbedder()
if (outcome.kind !== "ready") throw new Error(outcome.reason)
const { embedNow } = outcome.embedder

const others = [
  entry("queue", 3, "Jobs run in one queue", "Workers take the oldest job first."),
  entry("colours", 4, "Colours come from the theme", "No component names a colour itself."),
  entry("errors", 5, "Errors are shown once", "A toast tells the user what to do next."),
]

test("the newer of two entries with different decisions on the same topic replaces the older", () => {
  const older = entry("old", 1, "Invoices are rendered with wkhtmltopdf", "The invoice PDF is made by wkhtmltopdf.", {
    tags: ["pdf"],
  })
  const newer = entry(
    "new",
    90,
    "Invoices are rendered with Chromium",
    "The invoice PDF is made by headless Chromium; wkhtmltopdf is gone.",
    { tags: ["pdf"] },
  )
  expect([...findReplaced([older, newer, ...others], embedNow)]).toEqual([["old", "new"]])
  expect([...findReplaced([newer, older, ...others], undefined)]).toEqual([["old", "new"]])
})

test("entries on related topics, or of one day, replace nothing", () => {
  const first = entry("one", 1, "Invoices are numbered per year", "Numbers begin at 1 each January.", {
    tags: ["invoices"],
  })
  const second = entry("two", 90, "Invoices are sent on Fridays", "A job mails them at noon.", { tags: ["invoices"] })
  expect(findReplaced([first, second, ...others], embedNow).size).toBe(0)
  const part = entry("b", 1.2, "Publish order of the packages", "The core package is published first.", {
    tags: ["packages"],
  })
  const plan = entry("a", 1, "Publish strategy of the packages", "The core package is published alone.", {
    tags: ["packages"],
  })
  expect(findReplaced([plan, part, ...others], embedNow).size).toBe(0)
})

test("a rule is not replaced by a note on the same topic, and a link decides by itself", () => {
  const rule = entry("rule", 1, "Never push to main", "Changes reach main through pull requests only.", {
    type: "directive",
  })
  const note = entry("note", 60, "Pushes to main start a release", "A push to main publishes the site.", {
    type: "note",
  })
  expect(findReplaced([rule, note, ...others], embedNow).size).toBe(0)
  const linked = { ...rule, type: "decision", supersededBy: ["note"] }
  expect(findReplaced([linked, note, ...others], embedNow).size).toBe(0)
})
