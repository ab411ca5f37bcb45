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

function replacedIn(items: readonly StoredItem[], embed: Parameters<typeof findReplaced>[1]): [string, string][] {
  const replaced = findReplaced(items, embed)
  return items.flatMap(({ id }): [string, string][] => {
    const by = replaced.get(id)
    return by === undefined ? [] : [[id, by]]
  })
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
  expect([...replacedIn([older, newer, ...others], embedNow)]).toEqual([["old", "new"]])
  expect([...replacedIn([newer, older, ...others], undefined)]).toEqual([["old", "new"]])
})

test("entries on related topics, or of one day, replace nothing", () => {
  const first = entry("one", 1, "Invoices are numbered per year", "Numbers begin at 1 each January.", {
    tags: ["invoices"],
  })
  const second = entry("two", 90, "Invoices are sent on Fridays", "A job mails them at noon.", { tags: ["invoices"] })
  expect(replacedIn([first, second, ...others], embedNow).length).toBe(0)
  const part = entry("b", 1.2, "Publish order of the packages", "The core package is published first.", {
    tags: ["packages"],
  })
  const plan = entry("a", 1, "Publish strategy of the packages", "The core package is published alone.", {
    tags: ["packages"],
  })
  expect(replacedIn([plan, part, ...others], embedNow).length).toBe(0)
})

test("a rule is not replaced by a note on the same topic, and a link decides by itself", () => {
  const rule = entry("rule", 1, "Never push to main", "Changes reach main through pull requests only.", {
    type: "directive",
  })
  const note = entry("note", 60, "Pushes to main start a release", "A push to main publishes the site.", {
    type: "note",
  })
  expect(replacedIn([rule, note, ...others], embedNow).length).toBe(0)
  const linked = { ...rule, type: "decision", supersededBy: ["note"] }
  expect(replacedIn([linked, note, ...others], embedNow).length).toBe(0)
})

test.each([
  ["The admin app uses Vue", "The customer app uses React"],
  ["The orders service listens on port 8001", "The billing service listens on port 8002"],
  ["Deploy staging from the develop branch", "Deploy production from the main branch"],
  ["Never edit files in src/generated", "Never edit files in src/vendor"],
  ["Always run the migrations in CI", "Always run the linters in CI"],
  ["Mobile supports iOS 16", "Mobile supports Android 10"],
  ["The desktop app runs on Windows 10", "The desktop app runs on macOS 13"],
  ["Users can sign in with Google", "Users can sign in with GitHub"],
])("%s: %s decides about another thing, though it is worded alike", (one, other) => {
  const tags = ["shared"]
  const pair = [entry("old", 1, one, one, { tags }), entry("new", 60, other, other, { tags })]
  expect(replacedIn([...pair, ...others], embedNow).length).toBe(0)
})

test.each([
  ["Access tokens live for ten minutes", "Access tokens live for five minutes"],
  ["Package manager is npm", "Package manager is pnpm"],
  ["Never wait longer than 5 seconds for a lock", "Never wait longer than 9 seconds for a lock"],
  ["The mobile app supports iOS 16", "The mobile app supports iOS 17"],
  ["Users can upload ten files at once", "Users can upload twenty files at once"],
  ["The public API accepts XML", "The public API accepts only JSON"],
  [
    "Deploy staging from the develop branch",
    "Deploy previews from the main branch now, no longer staging from develop",
  ],
])("%s: %s decides it differently", (one, other) => {
  const pair = [entry("old", 1, one, one), entry("new", 60, other, other)]
  expect([...replacedIn([...pair, ...others], embedNow)]).toEqual([["old", "new"]])
})

test("the same decision for two parts of the product, one after the other, is two decisions", () => {
  const parts = ["mobile app", "admin console", "import pipeline"]
  const formats = parts.map((part, at) =>
    entry(
      `log ${part}`,
      1 + 30 * at,
      `Log format of the ${part}`,
      `In the ${part} we now write JSON lines with a trace id.`,
    ),
  )
  const pages = parts.map((part, at) =>
    entry(`page ${part}`, 2 + 30 * at, `Pagination of the ${part}`, `In the ${part} we now use opaque cursors.`),
  )
  const formatting = parts.map((part, at) =>
    entry(`biome ${part}`, 3 + 30 * at, `Code formatting of the ${part}`, `The ${part} is formatted with Biome.`),
  )
  expect([...replacedIn([...formats, ...pages, ...formatting], embedNow)]).toEqual([])
  const older = entry("old", 0, "Log format of the mobile app", "In the mobile app we write plain text lines.")
  expect([...replacedIn([older, ...formats, ...pages, ...formatting], embedNow)]).toEqual([["old", "log mobile app"]])
})

test("an entry is judged the same whether few or many were asked for before it", () => {
  const pairs = Array.from({ length: 12 }, (_, at) => [
    entry(`old-${at}`, at, `Reports of area ${at} are rendered with toolkit ${at}`, `Toolkit${at} renders them.`, {
      tags: [`area-${at}`],
    }),
    entry(
      `new-${at}`,
      90 + at,
      `Reports of area ${at} are rendered with Chromium`,
      `Headless Chromium renders them since toolkit${at} is gone.`,
      { tags: [`area-${at}`] },
    ),
  ]).flat()
  const items = [...pairs, ...others]
  const asked = findReplaced(items, embedNow)
  const forwards = items.map(({ id }) => asked.get(id))
  const backwards = findReplaced(items, embedNow)
  const judged = items.toReversed().map(({ id }) => backwards.get(id))
  const alone = items.map(({ id }) => findReplaced(items, embedNow).get(id))
  expect(judged.reverse()).toEqual(forwards)
  expect(alone).toEqual(forwards)
  expect(forwards.some((by) => by !== undefined)).toBe(true)
})
