import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { withFolderLock } from "../disk/lock.ts"
import { renameFileDurable } from "../disk/rename-file.ts"
import { removeFolder } from "../disk/write-file-atomic.ts"
import { instantOfMoment } from "../formats/session/instant-of-moment.ts"
import { isSessionId, makeSessionId } from "../formats/session/session-id.ts"
import type { SessionMetadata } from "../formats/session/sibling-files.ts"
import { listSessions, summarizeSession } from "./list-sessions.ts"
import type { Cleanup, SessionSummary } from "./session.ts"
import { unfinishedName } from "./start-session.ts"

export type CleanupOptions = { maxAgeDays?: number; maxSessions?: number; remove?: boolean }

/** Lists the sessions beyond the retention limits, and removes them only when asked to. */
export async function cleanupSessions(folder: string, now: Date, options: CleanupOptions = {}): Promise<Cleanup> {
  const sessions = listSessions(folder)
  const due = findDue(sessions, now, options)
  const removed: string[] = []
  if (options.remove) {
    const position = new Map(sessions.map(({ id }, index) => [id, index]))
    const isStillDue = (session: SessionSummary) =>
      whyDue(session, position.get(session.id) ?? 0, now, options) !== undefined
    for (const { id } of due) if (await removeSession(folder, id, isStillDue)) removed.push(id)
    removeLeftovers(folder, now)
  }
  return { due, kept: sessions.length - (options.remove ? removed.length : due.length), removed }
}

/** The expired sessions of a list sorted newest first. */
export function findDue(sessions: readonly SessionSummary[], now: Date, options: CleanupOptions = {}): Cleanup["due"] {
  return sessions.flatMap((session, position) => {
    const reason = whyDue(session, position, now, options)
    return session.kind === "unreadable" || reason === undefined
      ? []
      : [{ id: session.id, reason, sizeBytes: session.metadata.sizeBytes }]
  })
}

const keptAlways = 10
const day = 86_400_000

/** The newest sessions are kept regardless of age, as are failed, unreadable and unfinished ones. */
function whyDue(session: SessionSummary, position: number, now: Date, options: CleanupOptions): string | undefined {
  const { maxAgeDays = 30, maxSessions = 1000 } = options
  if (session.kind === "unreadable" || position < keptAlways) return undefined
  const { status } = session.metadata
  if (status === "failed" || status === "active") return undefined
  const days = (now.getTime() - lastWritten(session.metadata)) / day
  if (days > maxAgeDays) return `last written to ${Math.floor(days)} days ago`
  return position >= maxSessions ? `${maxSessions} sessions are newer` : undefined
}

/** An invalid time counts as now, so that a typo never removes a session. */
function lastWritten({ createdAt, updatedAt = createdAt }: SessionMetadata): number {
  return instantOfMoment(updatedAt) ?? instantOfMoment(createdAt) ?? Number.POSITIVE_INFINITY
}

/**
 * Checks again under the session's lock, then renames the folder first, so that a half-removed session is never found.
 */
async function removeSession(
  folder: string,
  id: string,
  isStillDue: (session: SessionSummary) => boolean,
): Promise<boolean> {
  const session = join(folder, id)
  if (!existsSync(session)) return false // another process was faster
  return withFolderLock(session, () => {
    if (!isStillDue(summarizeSession(session, id))) return false
    renameFileDurable(session, join(folder, `.removed-${id}`))
    return true
  })
}

/** What killed processes left: sessions half removed, and some that were never begun. One that is just being begun stays. */
function removeLeftovers(folder: string, now: Date): void {
  const justBegun = unfinishedName(makeSessionId("", new Date(now.getTime() - day), "00000000"))
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, id = ""] = /^\.(?:new|removed)-(.+)$/.exec(name) ?? []
    const isJustBegun = name.startsWith(unfinishedName("")) && name >= justBegun // an id begins with its time
    if (!isSessionId(id) || isJustBegun) continue
    removeFolder(join(folder, name))
  }
}
