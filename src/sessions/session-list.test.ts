import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listSessions, stampSessions } from "./session-list.ts"
import { memoryHead, newFolder, sessionId, sessionWith } from "./test-session.ts"

const metadata = (id: string, status = "active") => `version: "1"
schema: session-metadata
sessionId: ${id}
task: Sort the mail
status: ${status}
createdAt: "2026-03-04T08:00:00.000Z"
updatedAt: "2026-03-04T09:00:00.000Z"
agents: [developer]
counts: { discoveries: 1, attempts: 2, decisions: 0, failures: 1 }
filesModified: []
tokens: { input: 0, output: 0 }
sizeBytes: 1200
archived: false
`

const ids = ["20260304-080000-0a1b2c3d-mail", "20260305-080000-00000000-mail", "20260304-090000-ffffffff-mail"] as const

test("sessions are listed by their metadata alone, newest first", () => {
  const sessions = newFolder()
  for (const id of ids) sessionWith({ "metadata.yaml": metadata(id), "agent-memory.yaml": "not: [read" }, id, sessions)
  const listed = listSessions(sessions)
  expect(listed.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]])
  expect(listed[0]).toMatchObject({
    kind: "readable",
    folder: join(sessions, ids[1]),
    metadata: { task: "Sort the mail" },
  })
})

test("the stamp changes when a session is added, changed or removed", () => {
  const sessions = newFolder()
  const stamps = [stampSessions(sessions)]
  const noteStamp = () => stamps.push(stampSessions(sessions))
  const folder = join(sessions, ids[0])
  sessionWith({ "metadata.yaml": metadata(ids[0]) }, ids[0], sessions)
  noteStamp()
  writeFileSync(join(folder, "metadata.yaml"), metadata(ids[0], "complete"))
  noteStamp()
  rmSync(join(folder, "metadata.yaml"))
  noteStamp()
  expect(new Set(stamps).size).toBe(4)
  expect(stampSessions(sessions)).toBe(stamps.at(-1))
})

test("only open sessions on request", () => {
  const sessions = newFolder()
  sessionWith({ "metadata.yaml": metadata(ids[0], "complete") }, ids[0], sessions)
  sessionWith({ "metadata.yaml": metadata(ids[1]) }, ids[1], sessions)
  expect(listSessions(sessions, { active: true }).map(({ id }) => id)).toEqual([ids[1]])
})

const memory = `${memoryHead()}updatedAt: "2026-03-04T09:30:00.000Z"
attempts:
  - { id: a-1, timestamp: "2026-03-04T09:00:00.000Z", description: Sort, result: failure }
`
const context = `version: "1"
schema: session-context
sessionId: ${sessionId}
state: failed
task: Sort the mail
startedAt: "2026-03-04T08:00:00.000Z"
`

test.each([
  ["missing", {}],
  ["broken", { "metadata.yaml": "task: [" }],
  ["not what it should be", { "metadata.yaml": "task: 7\n" }],
])("metadata that is %s is derived from the other files and not written", (_, files) => {
  const sessions = newFolder()
  const { folder } = sessionWith(
    { "agent-memory.yaml": memory, "context.yaml": context, ...files },
    sessionId,
    sessions,
  )
  expect(listSessions(sessions)).toEqual([
    {
      kind: "readable",
      id: sessionId,
      folder,
      metadata: expect.objectContaining({
        task: "Sort the mail",
        status: "failed",
        createdAt: "2026-03-04T08:00:00.000Z",
        updatedAt: "2026-03-04T09:30:00.000Z",
        agents: ["developer"],
        counts: { discoveries: 0, attempts: 1, decisions: 0, failures: 1 },
      }),
    },
  ])
  expect(listSessions(sessions)).toHaveLength(1)
})

test("an unreadable session is listed with the reason", () => {
  const sessions = newFolder()
  sessionWith({ "agent-memory.yaml": "attempts: [\n" }, ids[0], sessions)
  mkdirSync(join(sessions, ids[1]))
  expect(listSessions(sessions)).toMatchObject([
    { kind: "unreadable", id: ids[1], problem: expect.stringContaining("contains no agent memory") },
    { kind: "unreadable", id: ids[0], problem: expect.stringMatching(/agent-memory\.yaml:\d+:\d+ /) },
  ])
})

test("other folders, files and links are not sessions", () => {
  const sessions = newFolder()
  const { folder } = sessionWith({ "metadata.yaml": metadata(ids[0]) }, ids[0], newFolder())
  symlinkSync(folder, join(sessions, ids[0]))
  mkdirSync(join(sessions, "notes"))
  writeFileSync(join(sessions, ids[1]), "a file")
  expect(listSessions(sessions)).toEqual([])
  rmSync(sessions, { recursive: true })
  expect(listSessions(sessions)).toEqual([])
})
