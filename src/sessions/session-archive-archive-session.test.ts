import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { sha256 } from "../disk/hash.ts"
import { listAgentFiles, readMemories } from "./agent-files.ts"
import { archiveAgent, archiveSession } from "./session-archive.ts"
import type { SessionFiles } from "./session-files.ts"
import { memoryHead, sessionId, sessionWith, textIn } from "./test-session.ts"

const now = new Date("2026-03-04T16:00:00.000Z")
const live = "agent-memory.yaml"
const archive = "agent-memory-archive.yaml"

const twoMornings = `${memoryHead()}# what we know
discoveries:
  # found by accident
  - id: d-old   # keep this remark
    timestamp: "2026-03-04T09:00:00.000Z"
    type: code_pattern
    content: >
      Folded
      text.
    ticket: Q-7
  - {id: d-flow, timestamp: "2026-03-04T09:30:00.000Z", type: 'data_model', content: "In one line"}
  - id: d-ground
    timestamp: "2026-03-04T10:00:00.000Z"
    type: api_surface
    content: Somebody still needs this.
attempts:
  - id: a-failed
    timestamp: "2026-03-04T09:10:00.000Z"
    description: Send it twice
    result: failure
    error: |
      The queue drops doubles.
      See the log.

decisions:
  # the newest
  - id: c-new
    timestamp: "2026-03-04T15:00:00.000Z"
    type: implementation
    description: Number the messages
    relatedDiscoveries: [d-ground]
context:
  blockers: []
# the end
`

test("old entries move verbatim, with their comments, and leave a summary behind", () => {
  const files = sessionWith({ [live]: twoMornings })
  expect(archiveSession(files, now)).toMatchObject([
    {
      agent: "developer",
      moved: { discoveries: ["d-old", "d-flow"], attempts: ["a-failed"], decisions: [] },
      contentsDropped: 0,
      stillTooLarge: false,
    },
  ])
  for (const words of [
    "  # found by accident\n  - id: d-old   # keep this remark\n",
    "content: >\n      Folded\n      text.\n    ticket: Q-7\n",
    `- {id: d-flow, timestamp: "2026-03-04T09:30:00.000Z", type: 'data_model', content: "In one line"}\n`,
    "error: |\n      The queue drops doubles.\n      See the log.\n",
  ]) {
    expect(textIn(files, archive)).toContain(words)
    expect(textIn(files, live)).not.toContain(words)
  }
  for (const words of ["# what we know\n", "  - id: d-ground\n", "  # the newest\n  - id: c-new\n", "# the end\n"])
    expect(textIn(files, live)).toContain(words)
  expect(readMemories(files).get("developer")?.history).toEqual([
    {
      archivedAt: "2026-03-04T16:00:00.000Z",
      from: "2026-03-04T09:00:00.000Z",
      to: "2026-03-04T09:30:00.000Z",
      counts: { discoveries: 2, attempts: 1, decisions: 0 },
      summary: "2 discoveries, 1 attempt (1 failed), 0 decisions\nFailed:\n- Send it twice: The queue drops doubles.",
      ids: ["d-old", "d-flow", "a-failed"],
    },
  ])
})

test("the archive is a memory of the same agent and session", () => {
  const files = sessionWith({ [live]: twoMornings })
  archiveSession(files, now)
  expect(files.read("memory", join(files.folder, archive))).toMatchObject({
    problems: [],
    data: {
      version: "1",
      schema: "agent-memory",
      sessionId,
      agent: "developer",
      createdAt: "2026-03-04T08:00:00.000Z",
    },
  })
})

test("archiving is idempotent", () => {
  const files = sessionWith({ [live]: twoMornings })
  archiveSession(files, now)
  const once = [textIn(files, live), textIn(files, archive)]
  const [again] = archiveSession(files, new Date("2026-03-05T16:00:00.000Z"))
  expect(again?.moved).toEqual({ discoveries: [], attempts: [], decisions: [] })
  expect([textIn(files, live), textIn(files, archive)]).toEqual(once)
})

test("a dry run reports the same and changes nothing", () => {
  const files = sessionWith({ [live]: twoMornings })
  const told = archiveSession(files, now, { dryRun: true })
  expect(textIn(files, live)).toBe(twoMornings)
  expect(existsSync(join(files.folder, archive))).toBe(false)
  expect(archiveSession(files, now)).toEqual(told)
  expect(told[0]?.bytesAfter).toBe(Buffer.byteLength(textIn(files, live)))
})

test("every agent has its own archive, and later entries are added to it", () => {
  const tester = twoMornings.replace("agent: developer", "agent: tester")
  const files = sessionWith({ [live]: twoMornings, "agent-memory.tester.yaml": tester })
  archiveSession(files, now)
  const later = `  - id: c-later\n    timestamp: "2026-03-04T19:00:00.000Z"\n    type: skip\n    description: Wait\n`
  writeFileSync(
    join(files.folder, "agent-memory.tester.yaml"),
    textIn(files, "agent-memory.tester.yaml").replace("context:\n", `${later}context:\n`),
  )
  expect(archiveSession(files, now).map(({ moved }) => moved)).toEqual([
    { discoveries: [], attempts: [], decisions: [] },
    { discoveries: ["d-ground"], attempts: [], decisions: ["c-new"] },
  ])
  const archived = files.read("memory", join(files.folder, "agent-memory-archive.tester.yaml"))
  expect(archived?.data.discoveries.map(({ id }) => id)).toEqual(["d-old", "d-flow", "d-ground"])
  expect(readMemories(files).get("tester")?.history).toHaveLength(2)
})

/** A file of this size whose entries are all of the last hour. */
function largeMemory(bytes: number, content = ""): string {
  const entries: string[] = []
  for (let size = 0, index = 0; size < bytes; index++) {
    const time = new Date(Date.parse("2026-03-04T14:00:00.000Z") + index * 1000).toISOString()
    const artifact =
      content === "" ? "" : `    artifacts:\n      - path: src/${index}.ts\n        content: ${content}\n`
    const entry = `  - id: attempt-${index}\n    timestamp: "${time}"\n    description: Try ${index}\n    result: success\n    output: |\n      ${"It went well. ".repeat(20)}\n${artifact}`
    entries.push(entry)
    size += entry.length
  }
  return `${memoryHead()}attempts:\n${entries.join("")}`
}

test("a file of 300 KB shrinks below 100 KB, and nothing of it is lost", () => {
  const files = sessionWith({ [live]: largeMemory(300_000) })
  const before = idsOf(files)
  const [archiving] = archiveSession(files, now)
  expect(archiving).toMatchObject({ stillTooLarge: false, contentsDropped: 0 })
  expect(archiving?.bytesBefore).toBeGreaterThan(300_000)
  expect(textIn(files, live).length).toBeLessThan(100_000)
  expect(textIn(files, live).length).toBeGreaterThan(60_000)
  expect(idsOf(files)).toEqual(before)
  expect(archiveSession(files, now)[0]?.moved.attempts).toEqual([])
})

test("if contents of artifacts make a file large, they are removed and leave their size and hash", () => {
  const files = sessionWith({ [live]: largeMemory(120_000, "x".repeat(1_000)) })
  const before = idsOf(files)
  expect(archiveSession(files, now)[0]).toMatchObject({ moved: { attempts: [] }, stillTooLarge: false })
  const memory = readMemories(files).get("developer")
  expect(memory?.attempts[0]?.artifacts[0]).toEqual({
    path: "src/0.ts",
    contentBytes: 1_000,
    contentHash: `sha256:${sha256("x".repeat(1_000))}`,
  })
  expect(memory?.attempts.at(-1)?.artifacts[0]?.content).toBe("x".repeat(1_000))
  expect(textIn(files, live).length).toBeLessThan(100_000)
  expect(idsOf(files)).toEqual(before)
})

test("it runs automatically only if a file is too large or goes back too far", () => {
  const archiveFirst = (text: string) => {
    const files = sessionWith({ [live]: text })
    const [place] = listAgentFiles(files)
    return place && archiveAgent(files, place, now)
  }
  expect(archiveFirst(largeMemory(50_000))).toBeUndefined()
  expect(archiveFirst(largeMemory(150_000))).toMatchObject({ stillTooLarge: false })
  expect(archiveFirst(twoMornings)?.moved.discoveries).toEqual(["d-old", "d-flow"])
  expect(archiveFirst(twoMornings.replace("15:00", "12:00"))).toBeUndefined()
})

test("an unreadable archive stops it, and the agent's file is unchanged", () => {
  const files = sessionWith({ [live]: twoMornings, [archive]: "discoveries: [" })
  expect(() => archiveSession(files, now)).toThrow(archive)
  expect(textIn(files, live)).toBe(twoMornings)
  expect(textIn(files, archive)).toBe("discoveries: [")
})

test("an archived entry is never replaced by another with the same id", () => {
  const files = sessionWith({ [live]: twoMornings })
  archiveSession(files, now)
  const archived = textIn(files, archive)
  const reused = twoMornings.replace("09:00:00", "09:07:00")
  writeFileSync(join(files.folder, live), reused)
  expect(() => archiveSession(files, now)).toThrow("already has a different entry with the id d-old")
  expect([textIn(files, live), textIn(files, archive)]).toEqual([reused, archived])
})

test("a file of a newer version is not archived, and no archive is created", () => {
  const newer = twoMornings.replace('version: "1"', 'version: "2"')
  const files = sessionWith({ [live]: newer })
  expect(() => archiveSession(files, now)).toThrow("version 2")
  expect(textIn(files, live)).toBe(newer)
  expect(existsSync(join(files.folder, archive))).toBe(false)
})

test("an entry that changed after a killed process had copied it is archived in its current state, once", () => {
  const files = sessionWith({ [live]: twoMornings })
  const whole = sessionWith({ [live]: twoMornings })
  archiveSession(whole, now)
  writeFileSync(join(files.folder, archive), textIn(whole, archive))
  writeFileSync(join(files.folder, live), twoMornings.replace("ticket: Q-7", "ticket: Q-8"))
  archiveSession(files, now)
  const archived = files.read("memory", join(files.folder, archive))?.data
  expect(archived?.discoveries.map(({ id, ticket }) => [id, ticket])).toEqual([
    ["d-flow", undefined],
    ["d-old", "Q-8"],
  ])
  expect(
    readMemories(files)
      .get("developer")
      ?.discoveries.map(({ id }) => id),
  ).toEqual(["d-ground"])
})

/** Of everything, live and archived, in the order in which it was written; each once. */
function idsOf(files: SessionFiles): string[] {
  const memory = readMemories(files, { archived: true }).get("developer")
  return [...(memory?.discoveries ?? []), ...(memory?.attempts ?? []), ...(memory?.decisions ?? [])].map(({ id }) => id)
}

let scripts = ""
let script = ""

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), "drey-archive-"))
  script = await bundleChild(
    scripts,
    `import { onFileOperation } from "./atomic-write.ts"
     import { archiveSession } from "../sessions/session-archive.ts"
     import { openSessionFiles } from "../sessions/session-files.ts"
     const [folder, id, at] = process.argv.slice(2)
     let operation = 0
     onFileOperation(() => {
       if (++operation === Number(at)) process.kill(process.pid, "SIGKILL")
     })
     const now = new Date("${now.toISOString()}")
     archiveSession(openSessionFiles({ id, folder, now: () => now, warn: () => {} }), now)
     console.log(operation)`,
  )
})

afterAll(() => rmSync(scripts, { recursive: true, force: true }))

test("killed before any of its file operations it loses nothing, and the next run completes it without duplicates", async () => {
  const whole = sessionWith({ [live]: twoMornings })
  const ids = idsOf(whole)
  const child = startChild(script, whole.folder, sessionId, "0")
  const operations = Number(await child.nextLine())
  expect(await child.ended, child.errors()).toBe(0)
  expect(operations).toBe(4) // each file is created beside its place, then renamed
  for (let at = 1; at <= operations; at++) {
    const files = sessionWith({ [live]: twoMornings })
    expect(await startChild(script, files.folder, sessionId, String(at)).ended).toBe("SIGKILL")
    expect(new Set(idsOf(files))).toEqual(new Set(ids))
    expect(textIn(files, live)).toBe(twoMornings) // it is trimmed by the last operation
    expect(existsSync(join(files.folder, archive))).toBe(at > 2)
    archiveSession(files, now)
    expect([textIn(files, live), textIn(files, archive)]).toEqual([textIn(whole, live), textIn(whole, archive)])
  }
})
