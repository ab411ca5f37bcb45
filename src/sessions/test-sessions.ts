import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Session, Sessions } from "./session-api.ts"
import { openSessions, type SessionsOptions } from "./sessions.ts"

export type TestSessions = {
  sessions: Sessions
  /** Another process, as it were: it has seen nothing. */
  openAgain(options?: Partial<SessionsOptions>): Sessions
  warnings: string[]
  /** The clock: every look at it takes a second. */
  passTime(ms: number): void
}

/** For tests: sessions in a temporary folder, beginning at 10:30 on 23 January 2026. */
export function makeSessions(): TestSessions {
  const root = mkdtempSync(join(tmpdir(), "drey-sessions-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  let time = Date.parse("2026-01-23T10:30:00.000Z")
  let count = 0
  const warnings: string[] = []
  const options: SessionsOptions = {
    folder: join(root, ".squad", "sessions"),
    now: () => {
      time += 1000
      return new Date(time)
    },
    makeHex: () => (++count).toString(16).padStart(8, "0"),
    warn: (message) => warnings.push(message),
  }
  return {
    sessions: openSessions(options),
    openAgain: (changes) => openSessions({ ...options, ...changes }),
    warnings,
    passTime: (ms) => {
      time += ms
    },
  }
}

export function readIn(session: Session, name: string): string {
  return readFileSync(join(session.folder, name), "utf8")
}

export function writeIn(session: Session, name: string, text: string): void {
  writeFileSync(join(session.folder, name), text)
}

/** A user's edit in an editor. */
export function editIn(session: Session, name: string, change: (text: string) => string): void {
  writeIn(session, name, change(readIn(session, name)))
}

/** Every file below a folder with its text. */
export function allTexts(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]),
  )
}
