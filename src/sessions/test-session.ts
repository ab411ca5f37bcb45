import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { openSessionFiles, type SessionFiles } from "./session-files.ts"
import { openSessions } from "./sessions.ts"

export const sessionId = "20260304-080000-0a1b2c3d-queue"

/** For tests: a folder that is gone afterwards. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-session-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** For tests: a session's folder with these files in it. */
export function sessionWith(texts: Record<string, string>, id = sessionId, sessions = newFolder()): SessionFiles {
  const folder = join(sessions, id)
  for (const [name, text] of Object.entries({ ...texts })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return openSessionFiles({ id, folder, now: () => new Date("2026-03-04T16:00:00.000Z"), warn: () => {} })
}

export function textIn({ folder }: SessionFiles, name: string): string {
  return readFileSync(join(folder, name), "utf8")
}

/** For tests: the head of an agent's file, at eight in the morning. */
export function memoryHead(agent = "developer"): string {
  return `version: "1"\nschema: agent-memory\nsessionId: ${sessionId}\nagent: ${agent}\ncreatedAt: "2026-03-04T08:00:00.000Z"\n`
}

/** For tests: a session of five hours: a discovery at its beginning that nothing needs any more, and what came at its end. */
export async function longSession() {
  let time = Date.parse("2026-03-04T08:00:00.000Z")
  const folder = newFolder()
  const sessions = openSessions({ folder, now: () => new Date(time), makeHex: () => "0a1b2c3d", warn: () => {} })
  const session = await sessions.start({ task: "Sort the mail", agent: "developer" })
  await session.plan.set({ steps: [{ description: "Read it" }] })
  await session.addMessage({ role: "user", content: "Please sort the mail." })
  await session.addDiscovery("developer", { type: "code_pattern", content: "Mail is read line by line." })
  await session.addDiscovery("developer", { type: "data_model", content: "A mail has one sender." })
  const { attempt } = await session.startAttempt("tester", { description: "Count the senders", planStep: 1 })
  await session.finishAttempt(attempt.id, { result: "failure", error: "Two were the same" })
  time += 5 * 3_600_000
  await session.addDecision("developer", {
    type: "implementation",
    description: "Sort by sender",
    relatedDiscoveries: ["discovery-002"],
  })
  return { sessions, session }
}
