import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import type { SessionMetadata } from "../formats/session/sibling-schemas.ts"
import { newFileText } from "./session-files.ts"
import { cleanupSessions } from "./session-folder.ts"
import { checkSessions } from "./session-validation.ts"
import { newFolder, sessionWith } from "./test-session.ts"
import { makeSessions, readIn, writeIn } from "./test-sessions.ts"

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

test.skipIf(process.platform === "win32")(
  "a session that another tool created is private from the first write on",
  async () => {
    const { sessions } = makeSessions()
    const session = await sessions.start({ task: "Read the feed", agent: "developer" })
    rmSync(join(dirname(session.folder), ".gitignore"))
    writeIn(session, "notes.txt", "theirs")
    chmodSync(session.folder, 0o755)
    for (const name of ["agent-memory.yaml", "context.yaml", "notes.txt"]) chmodSync(join(session.folder, name), 0o644)
    await session.memories()
    expect(modeOf(session.folder)).toBe("755")

    await session.addMessage({ role: "user", content: "Go on" })
    expect(modeOf(session.folder)).toBe("700")
    for (const name of ["agent-memory.yaml", "context.yaml", "conversation.yaml", "notes.txt"])
      expect(modeOf(join(session.folder, name))).toBe("600")
    expect(readIn(session, ".gitignore")).toBe("*\n")
  },
)

test("a session gets its own ignore file unless the folder above ignores everything", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Read the feed", agent: "developer" })
  const above = join(dirname(session.folder), ".gitignore")
  await session.addMessage({ role: "user", content: "Go on" })
  expect(existsSync(join(session.folder, ".gitignore"))).toBe(false)
  writeFileSync(above, "*.log\n")
  await session.addMessage({ role: "user", content: "Go on" })
  expect(readIn(session, ".gitignore")).toBe("*\n")
})

const now = new Date("2026-06-30T12:00:00.000Z")

/** A session for each of these, newest first; by default each ended as many days ago as its index. */
function sessionsOf(count: number, of: (place: number) => Partial<SessionMetadata> & { days?: number } = () => ({})) {
  const sessions = newFolder()
  const ids = Array.from({ length: count }, (_, place) => {
    const { days = place, ...fields } = of(place)
    const time = new Date(now.getTime() - days * 86_400_000).toISOString()
    const id = `20260101-${String(235959 - place).padStart(6, "0")}-0a1b2c3d-mail`
    const metadata = {
      task: "Sort the mail",
      status: "complete",
      createdAt: time,
      updatedAt: time,
      agents: [],
      counts: { discoveries: 0, attempts: 0, decisions: 0, failures: 0 },
      filesModified: [],
      tokens: { input: 0, output: 0 },
      sizeBytes: 500,
      archived: false,
      ...fields,
    }
    sessionWith({ "metadata.yaml": newFileText("session-metadata", id, metadata) }, id, sessions)
    return id
  })
  return { sessions, ids }
}

test("a session not written to for more than 30 days is due, and nothing is removed without confirmation", async () => {
  const { sessions, ids } = sessionsOf(40)
  const cleanup = await cleanupSessions(sessions, now)
  expect(cleanup.due.map(({ id }) => id)).toEqual(ids.slice(31))
  expect(cleanup.due[0]).toEqual({ id: ids[31], reason: "last written to 31 days ago", sizeBytes: 500 })
  expect(cleanup).toMatchObject({ kept: 31, removed: [] })
  expect(readdirSync(sessions)).toHaveLength(40)

  expect(await cleanupSessions(sessions, now, { remove: true })).toMatchObject({ kept: 31, removed: ids.slice(31) })
  expect(readdirSync(sessions).sort()).toEqual(ids.slice(0, 31).sort())
})

test("sessions beyond the maximum number are due, oldest first", async () => {
  const { sessions, ids } = sessionsOf(14, () => ({ days: 2 }))
  const { due } = await cleanupSessions(sessions, now, { maxSessions: 12 })
  expect(due.map(({ id, reason }) => [id, reason])).toEqual([
    [ids[12], "12 sessions are newer"],
    [ids[13], "12 sessions are newer"],
  ])
})

test("the newest ten stay, and so do failed, unreadable and open ones, however old", async () => {
  const { sessions, ids } = sessionsOf(15, (place) => ({
    days: 100,
    ...(place === 11 ? { status: "failed" } : {}),
    ...(place === 12 ? { status: "active" } : {}),
    ...(place === 13 ? { createdAt: "long ago", updatedAt: "once" } : {}),
  }))
  mkdirSync(join(sessions, "20250101-000000-0a1b2c3d-empty"))
  const { due } = await cleanupSessions(sessions, now, { maxSessions: 1, maxAgeDays: 1 })
  expect(due.map(({ id }) => id)).toEqual([ids[10], ids[13], ids[14]])
  const { removed } = await cleanupSessions(sessions, now, { maxSessions: 1, maxAgeDays: 1, remove: true })
  expect(removed).toEqual([ids[10], ids[13], ids[14]])
  expect(existsSync(join(sessions, ids[12] ?? "-"))).toBe(true)
})

test("what a killed cleanup left half removed is removed by the next one", async () => {
  const { sessions } = sessionsOf(1)
  mkdirSync(join(sessions, ".removed-20250101-000000-0a1b2c3d-mail"))
  await cleanupSessions(sessions, now)
  expect(readdirSync(sessions)).toHaveLength(2)
  await cleanupSessions(sessions, now, { remove: true })
  expect(readdirSync(sessions)).toHaveLength(1)
})

test("what a killed start left is removed too, but not a session that is just being created", async () => {
  const { sessions } = sessionsOf(1)
  mkdirSync(join(sessions, ".new-20260628-120000-0a1b2c3d-mail"))
  mkdirSync(join(sessions, ".new-20260630-115959-0a1b2c3d-mail"))
  await cleanupSessions(sessions, now, { remove: true })
  expect(readdirSync(sessions).filter((name) => name.startsWith(".new-"))).toEqual([
    ".new-20260630-115959-0a1b2c3d-mail",
  ])
})

test("without sessions there is nothing to clean up", async () => {
  const sessions = join(newFolder(), "none")
  expect(await cleanupSessions(sessions, now, { remove: true })).toEqual({ due: [], kept: 0, removed: [] })
  expect(existsSync(sessions)).toBe(false)
})

test("the doctor's check passes, reports overdue sessions, and names unreadable ones", () => {
  expect(checkSessions(join(newFolder(), "none"), now)).toEqual({
    name: "sessions",
    status: "pass",
    message: "There are no sessions.",
  })
  const { sessions, ids } = sessionsOf(40)
  expect(checkSessions(sessions, now)).toMatchObject({
    status: "warn",
    message: expect.stringContaining("9 sessions of 40"),
  })
  sessionWith({ "agent-memory.yaml": "attempts: [\n" }, ids[3], sessions)
  expect(checkSessions(sessions, now)).toMatchObject({
    status: "warn",
    message: expect.stringMatching(/^1 session cannot be read: 20260101-\S+\/agent-memory\.yaml:\d+:\d+ /),
  })
})
