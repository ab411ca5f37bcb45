import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { crashPoints } from "./crash-points.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { doubledOnDisk, entriesOnDisk, nameOf } from "./session-on-disk.ts"
import { bundleChild, startChild } from "./start-child.ts"

const id = "20260310-060000-0a1b2c3d-lantern-search"
const sections = ["discoveries", "attempts", "decisions"]
const clock = "2026-03-10T11:05:00.000Z"

/** What is done to the session, each but the first with a unique word. */
const changes = {
  archiving: "session.archive()",
  discovery: 'session.addDiscovery("tester", { type: "code_pattern", content: "moss" })',
  "finished attempt":
    'session.finishAttempt("attempt-002", { result: "success", output: "moss" }, { agent: "tester" })',
  "decision of a new agent": 'session.addDecision("reviewer", { type: "skip", description: "moss" })',
  plan: 'session.plan.set({ steps: [{ description: "moss" }] })',
  message: 'session.addMessage({ role: "user", content: "moss" })',
  end: 'session.end({ summary: "moss" })',
}

/** Does one of these in a process that ends itself before its n-th change to the disk, or else says how many there were. */
const child = `
import { onFileOperation } from "./atomic-write.ts"
import { openDrey } from "../drey.ts"
const [root, change, last] = process.argv.slice(2)
const now = () => new Date("${clock}")
const session = await openDrey({ root, now, warn: () => {} }).sessions.open("${id}")
let operation = 0
onFileOperation(() => {
  if (++operation === Number(last)) process.kill(process.pid, "SIGKILL")
})
const changes = { ${Object.entries(changes).map(([name, call]) => `${JSON.stringify(name)}: () => ${call}`)} }
await changes[change]()
process.stdout.write(\`\${operation}\\n\`)
`

/** A morning's work of one agent, most of it old enough for the archive. */
const memoryOf = (agent: string) => `version: "1"
schema: agent-memory
sessionId: ${id}
agent: ${agent}
createdAt: "2026-03-10T06:00:00.000Z"

discoveries:
  # found while reading
  - id: discovery-001
    timestamp: "2026-03-10T06:10:00.000Z"
    type: code_pattern
    content: Lanterns are rows of the catalogue
  - id: discovery-002
    timestamp: "2026-03-10T06:20:00.000Z"
    type: dependency_check
    content: SQLite has no trigram tokenizer
attempts:
  - id: attempt-001
    timestamp: "2026-03-10T06:30:00.000Z"
    description: Index by trigrams
    result: failure
    error: no such tokenizer
  - id: attempt-002
    timestamp: "2026-03-10T11:00:00.000Z"
    description: Index by words
    result: in_progress
decisions:
  - id: decision-001
    timestamp: "2026-03-10T06:40:00.000Z"
    type: implementation
    description: Index by words
    relatedDiscoveries: [discovery-002]
`

/** One agent has an archive already, the other one has none. */
const archive = `version: "1"
schema: agent-memory
sessionId: ${id}
agent: developer
createdAt: "2026-03-10T05:00:00.000Z"
discoveries:
  - id: discovery-000
    timestamp: "2026-03-10T05:10:00.000Z"
    type: code_pattern
    content: There is a catalogue
`

const files = {
  ".squad/team.md": "# Team\n",
  [`.squad/sessions/${id}/agent-memory-archive.yaml`]: archive,
  [`.squad/sessions/${id}/agent-memory.yaml`]: memoryOf("developer"),
  [`.squad/sessions/${id}/agent-memory.tester.yaml`]: memoryOf("tester"),
}

let scripts = ""
let script = ""

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), "drey-kill-"))
  script = await bundleChild(scripts, child)
})

afterAll(() => rmSync(scripts, { recursive: true, force: true }))

test.each(Object.keys(changes))(
  "killed before any of its changes to the disk, the %s loses and doubles nothing, and the next one goes on",
  async (change) => {
    const operations = Number(await startChild(script, makeRepository(files), change, "0").nextLine())
    expect(operations).toBeGreaterThan(1)
    for (const at of [0, ...crashPoints(change, operations, 4)]) {
      const root = makeRepository(files)
      const folder = join(root, ".squad/sessions", id)
      const before = entriesOnDisk(folder).map(nameOf).sort()
      const process = startChild(script, root, change, String(at))
      const isDone = at === 0
      expect(await process.ended, process.errors()).toBe(isDone ? 0 : "SIGKILL")

      const sessions = openDrey({ root, now: () => new Date(clock), warn: () => {} }).sessions
      const session = await sessions.open(id)
      const seen = namesIn(await session.memories({ archived: true }))
      expect(before.filter((name) => seen.filter((other) => other === name).length !== 1)).toEqual([])
      if (isDone && change !== "archiving") expect(timesSaid(folder, "moss")).toBe(1) // acknowledged, so it is there

      await session.addDiscovery("developer", { type: "code_pattern", content: "Water helps" })
      await session.archive()
      expect(doubledOnDisk(folder)).toEqual([])
      const after = entriesOnDisk(folder).map(nameOf)
      expect(before.filter((name) => !after.includes(name))).toEqual([])
      expect(entriesOnDisk(folder).filter(({ values }) => values.content === "Water helps")).toHaveLength(1)
      expect(timesSaid(folder, "moss")).toBeLessThan(2)
      expect(await sessions.validate([folder])).toMatchObject({ errors: 0 })
      const counts = Object.fromEntries(
        sections.map((name) => [name, after.filter((entry) => entry.includes(name)).length]),
      )
      expect((await session.metadata()).counts).toMatchObject(counts)
      expect(readdirSync(folder).filter((name) => name.includes("archive") && name.endsWith(".yaml"))).toHaveLength(2)
    }
  },
)

function namesIn(memories: Map<string, object>): string[] {
  return [...memories].flatMap(([agent, memory]) =>
    Object.entries(memory).flatMap(([section, entries]) =>
      sections.includes(section)
        ? entries.map((entry: { id: string }) => nameOf({ agent, section, id: entry.id }))
        : [],
    ),
  )
}

/** How often the session's files have this word; half-written leftovers of a killed process are not files of the session. */
function timesSaid(folder: string, word: string): number {
  const texts = Object.entries(readTree(folder)).filter(([path]) => path.endsWith(".yaml"))
  return texts.reduce((times, [, text]) => times + text.split(word).length - 1, 0)
}
