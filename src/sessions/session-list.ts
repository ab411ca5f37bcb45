import { lstatSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileError, readTextFile, settingsBytes } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import { didYouMean } from "../formats/text.ts"
import { redactForbidden } from "../governance/redaction.ts"
import type { ListOptions, SessionSummary } from "./session-api.ts"
import { openSessionFiles } from "./session-files.ts"
import { deriveMetadata } from "./session-metadata.ts"

/** All sessions, newest first, from their metadata; the other files are read only if the metadata is invalid. */
export function listSessions(folder: string, options: ListOptions = {}): SessionSummary[] {
  return sessionIds(folder, options)
    .map((id) => summarizeSession(join(folder, id), id))
    .filter((each) => !options.active || each.kind === "unreadable" || each.metadata.status === "active")
}

/**
 * Newest first: an id begins with its start time. Links are skipped. `active` leaves out sessions that have clearly
 * ended.
 */
export function sessionIds(folder: string, { active, mostBytes }: ListOptions = {}): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return []
  try {
    const ids = readdirSync(folder, { withFileTypes: true })
      .flatMap((item) => (item.isDirectory() && isSessionId(item.name) ? item.name : []))
      .sort((one, other) => (one < other ? 1 : -1))
    const listed = (mostBytes === undefined ? ids : ids.slice(0, mostMeasured)).filter(
      (id) => !active || !saysItEnded(join(folder, id, "metadata.yaml")),
    )
    return mostBytes === undefined ? listed : within(mostBytes, folder, listed)
  } catch (error) {
    throw fileError(folder, error)
  }
}

const mostMeasured = 200

/** The first sessions whose files fit into so many bytes together; folders with too many files are left out. */
function within(mostBytes: number, folder: string, ids: readonly string[]): string[] {
  let left = mostBytes
  return ids.filter((id) => {
    const names = namesIn(join(folder, id))
    if (names.length > mostMeasured) return false
    const sizes = names.map((name) => lstatSync(join(folder, id, name), { throwIfNoEntry: false })?.size ?? 0)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    if (bytes > left) return false
    left -= bytes
    return true
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (fileError(folder, error) instanceof DreyError) return [] // reading the session reports the problem
    throw error
  }
}

/** Detects from the metadata files of all sessions whether their list has changed. */
export function stampSessions(folder: string): string {
  const looks = sessionIds(folder).map((id) => {
    const look = statSync(join(folder, id, "metadata.yaml"), { bigint: true, throwIfNoEntry: false })
    return look ? `${id} ${look.size} ${look.mtimeNs} ${look.ino}` : id
  })
  return looks.join("\n")
}

/** One session as a list shows it. */
export function summarizeSession(folder: string, id: string): SessionSummary {
  const files = openSessionFiles({ id, folder, now: () => new Date(0), warn: () => {} }) // nothing is written
  try {
    const metadata = files.readValid("metadata", files.pathOf("metadata"))?.data ?? deriveMetadata(files, undefined)
    return { kind: "readable", id, folder, metadata }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { kind: "unreadable", id, folder, problem: error.message }
  }
}

/** Decided without parsing: of a thousand sessions, all but a few have ended. */
function saysItEnded(metadataPath: string): boolean {
  try {
    return /^status: *"?(?:complete|failed|cancelled)"?\r?$/m.test(
      readTextFile(metadataPath, { maxBytes: settingsBytes }).text,
    )
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return false // reading the whole session reports the problem
  }
}

/** The id of a session by its prefix; without one, of the only open session, or else of the `newest`. */
export function findSession(folder: string, beginning: string | undefined, { newest = false } = {}): string {
  if (beginning !== undefined) return findByBeginning(folder, beginning)
  const [last] = newest && sessionIds(folder, { active: true }).length === 0 ? sessionIds(folder) : []
  return last ?? findActive(folder)
}

function findByBeginning(folder: string, beginning: string): string {
  // Whatever it contains, it must not become part of a path.
  if (!/^\d[0-9a-z-]{0,240}$/.test(beginning))
    throw new DreyError(`"${redactForbidden(beginning)}" is not a session id`, {
      hint: "Example: 20260123-103000-abc1def2-auth-feature; a unique prefix is enough.",
    })
  const isThere = isSessionId(beginning) && lstatSync(join(folder, beginning), { throwIfNoEntry: false })?.isDirectory()
  if (isThere) return beginning // without reading the others, of which there may be thousands
  const found = sessionIds(folder).filter((id) => id.startsWith(beginning))
  const [only, other] = found
  if (only !== undefined && other === undefined) return only
  if (only !== undefined)
    throw new DreyError(`${found.length} sessions begin with ${beginning}`, { hint: `Such as ${only} and ${other}.` })
  const isWhole = isSessionId(beginning)
  if (isWhole && lstatSync(join(folder, beginning), { throwIfNoEntry: false })?.isSymbolicLink())
    throw new DreyError(`${join(folder, beginning)} is a symbolic link, which Drey does not follow`, {
      exitCode: exitCode.no,
    })
  const meant = didYouMean(beginning, sessionIds(folder))
  throw new DreyError(`There is no session ${isWhole ? beginning : `that begins with ${beginning}`} in ${folder}`, {
    hint: meant === undefined ? "Run `drey session list` to see all sessions." : `Did you mean ${meant}?`,
    exitCode: exitCode.no,
  })
}

function findActive(folder: string): string {
  const active: string[] = []
  const kept: string[] = []
  for (const id of sessionIds(folder, { active: true })) {
    const session = summarizeSession(join(folder, id), id)
    if (session.kind === "readable" && session.metadata.status === "active")
      (session.metadata.keptFor === undefined ? active : kept).push(id)
    if (active.length > 1) break // two are too many already
  }
  const [only, other] = active.length > 0 ? active : kept // a session that someone started comes before those that Drey keeps by itself
  if (only === undefined)
    throw new DreyError(`No session is active in ${folder}`, {
      hint: 'Start one with drey session start "TASK", or name one with --session ID.',
      exitCode: exitCode.no,
    })
  if (other !== undefined)
    throw new DreyError("Several sessions are active", {
      hint: `Name one with --session ID: ${only}, ${other} or another from drey session list --active.`,
    })
  return only
}
