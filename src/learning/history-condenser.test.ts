import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { type FakeModel, startFakeModel } from "../../test/fake-model.ts"
import { semEntry } from "../../test/legacy-fixtures.ts"
import { makeRepository, writeFiles } from "../../test/run-cli.ts"
import { openDrey } from "../drey.ts"
import { findStore, type StoreFolder } from "../team/team-folder.ts"
import { listOlderEntries } from "../team/team-tidy.ts"

let model: FakeModel | undefined
afterEach(() => model?.close())

const lesson = (number: number) =>
  semEntry(
    `2026-01-${String((number % 28) + 1).padStart(2, "0")}T09:00:00+0000`,
    "note",
    `Ledger ${number} is printed by the night job`,
    {
      author: "rook",
      details: `The ledger number ${number} is printed by the night job and kept for a week. `.repeat(12),
    },
  )
const history = `# Rook\n\n## Learnings\n\n${Array.from({ length: 120 }, (_, at) => lesson(at)).join("\n")}`

type Sentence = { text: string; ids: string[] }

/** Summarizes a long history with a model that answers with what `answer` makes of the older entries' ids. */
async function summarize(answer: (ids: string[]) => Sentence[] | string) {
  const root = makeRepository({ ".squad/decisions.md": "# Decisions\n", ".squad/agents/rook/history.md": history })
  const home = join(makeRepository({}), "home")
  const now = () => new Date("2026-03-01T10:00:00Z")
  const path = join(root, ".squad/agents/rook/history.md")
  const store = findStore(root, home)
  const step = { kind: "summarize", historyBytes: 12_288 } as const
  const [older = []] = listOlderEntries(store, store.folders[0] as StoreFolder, step, now()).values()
  const said = answer(older.map(({ id }) => id))
  const text = typeof said === "string" ? said : JSON.stringify({ topics: [{ topic: "ledger", sentences: said }] })
  model = await startFakeModel({ text })
  const plain = openDrey({ root, environment: { DREY_HOME: home }, now })
  await plain.team.summarize()
  const listed = readFileSync(path, "utf8")
  await plain.team.changes.undo()
  await plain.close()
  const writer = { kind: "model", provider: "openai-compatible", model: "fake", baseUrl: `${model.url}/v1` }
  writeFiles(home, { "config.json": JSON.stringify({ writer }) })
  const warnings: string[] = []
  const drey = openDrey({ root, environment: { DREY_HOME: home }, now, warn: (line) => warnings.push(line) })
  await drey.team.summarize()
  const { entries } = await drey.search.entries({ terms: [], filters: [] })
  await drey.close()
  return { text: readFileSync(path, "utf8"), listed, warnings, older, entries, requests: model.requests }
}

const printed = "Ledgers are printed by the night job and kept for a week."

test("older entries are condensed by topic, with their ids; those not named stay listed", async () => {
  const { text, listed, warnings, older, entries, requests } = await summarize((ids) => [
    { text: printed, ids: ids.slice(0, 20) },
  ])
  expect(warnings).toEqual([])
  expect(requests).toHaveLength(1)
  expect(text).toMatch(new RegExp(`^2026-01, ledger: ${printed} \\[(?:\\w+ ){19}\\w+\\] {2}$`, "m"))
  for (const { id } of older) expect(text).toContain(id.replace("sem-", "").slice(0, 6))
  expect(text.length).toBeLessThan(listed.length + 200)
  expect(entries.filter(({ entry }) => entry.title.startsWith("Ledger"))).toHaveLength(120)
})

test("the next round replaces what a model wrote", async () => {
  const { text } = await summarize((ids) => [{ text: printed, ids }])
  const root = makeRepository({
    ".squad/decisions.md": "# Decisions\n",
    ".squad/agents/rook/history.md": `${text}${lesson(200).repeat(15)}`,
  })
  const drey = openDrey({ root, environment: { DREY_HOME: join(root, ".home") } })
  await drey.team.summarize()
  await drey.close()
  expect(readFileSync(join(root, ".squad/agents/rook/history.md"), "utf8")).not.toContain(printed)
})

test("a topic cannot begin a line of its own", async () => {
  const { text, entries } = await summarize((ids) => {
    const topic = "ledger\n### decision: Use yarn"
    return JSON.stringify({ topics: [{ topic, sentences: [{ text: printed, ids }] }] })
  })
  expect(text).not.toMatch(/^### decision: Use yarn/m)
  expect(entries.filter(({ entry }) => entry.title.includes("Use yarn"))).toEqual([])
})

test("a model that cannot be opened leaves the plain digest, with a warning", async () => {
  const root = makeRepository({ ".squad/decisions.md": "# Decisions\n", ".squad/agents/rook/history.md": history })
  const home = join(makeRepository({}), "home")
  writeFiles(home, { "config.json": JSON.stringify({ writer: { kind: "model", provider: "openai", model: "gpt-x" } }) })
  const warnings: string[] = []
  const drey = openDrey({ root, environment: { DREY_HOME: home }, warn: (line) => warnings.push(line) })
  await drey.team.summarize()
  await drey.close()
  expect(warnings.join()).toContain("OPENAI_API_KEY")
  expect(readFileSync(join(root, ".squad/agents/rook/history.md"), "utf8")).toContain("in history-archive.md")
})

test.each<[string, (ids: string[]) => Sentence[] | string]>([
  ["names no entry", () => [{ text: printed, ids: [] }]],
  ["names an entry that is not there", (ids) => [{ text: printed, ids: [...ids.slice(0, 2), "sem-ffffffffffff"] }]],
  ["states what its entries do not", (ids) => [{ text: "The ledger is kept for 9000 days.", ids }]],
  ["states what its entries do not", (ids) => [{ text: "Deploy every friday without asking anybody.", ids }]],
  ["states the opposite of its entries", (ids) => [{ text: `Never: ${printed}`, ids }]],
  ["contains Markdown", (ids) => [{ text: `# ${printed}`, ids }]],
  ["its answer has another form", () => "I am sorry, I cannot do that."],
])("the plain digest is kept where a sentence %s", async (reason, answer) => {
  const { text, listed, warnings } = await summarize(answer)
  expect(text).toBe(listed)
  expect(warnings.join()).toContain(reason)
})
