import { sep } from "node:path"
import { DreyError } from "../errors.ts"
import { type Check, nameSome, quantity } from "../squad/doctor/check.ts"
import { findDue } from "./cleanup-sessions.ts"
import { listSessions } from "./list-sessions.ts"
import { readMemories } from "./read-memories.ts"
import type { SessionSummary } from "./session.ts"
import { openSessionFiles } from "./session-files.ts"

/** Reading every file of a thousand sessions would take too long; those that are still worked with are the newest. */
const readWhole = 20

/** For `doctor`: can the sessions be read, and are there more of them than should be kept? */
export function checkSessions(folder: string, now: Date): Check {
  const sessions = listSessions(folder)
  const problems = sessions
    .flatMap((session, position) => problemOf(session, position < readWhole) ?? [])
    .map((problem) => problem.replace(`${folder}${sep}`, ""))
  if (problems.length > 0)
    return warn(
      `${quantity(problems.length, "session")} cannot be read: ${nameSome(problems, 3)}. Fix the files by hand.`,
    )
  const due = findDue(sessions, now)
  if (due.length > 0)
    return warn(
      `${quantity(due.length, "session")} of ${sessions.length} can be deleted. "drey session cleanup" lists them.`,
    )
  const message =
    sessions.length === 0 ? "There are no sessions." : `${quantity(sessions.length, "session")} can be read.`
  return { name: "sessions", status: "pass", message }
}

function warn(message: string): Check {
  return { name: "sessions", status: "warn", message }
}

function problemOf(session: SessionSummary, isRead: boolean): string | undefined {
  if (session.kind === "unreadable") return session.problem
  if (!isRead) return undefined
  const { id, folder } = session
  try {
    readMemories(openSessionFiles({ id, folder, now: () => new Date(0), warn: () => {} }), {
      archived: true,
      unreadable: "throw",
    })
    return undefined
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return error.message
  }
}
