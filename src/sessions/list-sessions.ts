import { lstatSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { readTextFile, settingsBytes } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import { deriveMetadata } from "./derive-metadata.ts"
import type { ListOptions, SessionSummary } from "./session.ts"
import { openSessionFiles } from "./session-files.ts"

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
    if (fileError(folder, error) instanceof DreyError) return [] // whoever reads the session tells what is wrong
    throw error
  }
}

/** Tells by how the metadata of all sessions look whether a list of them would be another. */
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

/** Told without parsing: of a thousand sessions, all but a few have ended. */
function saysItEnded(metadataPath: string): boolean {
  try {
    return /^status: *"?(?:complete|failed|cancelled)"?\r?$/m.test(
      readTextFile(metadataPath, { maxBytes: settingsBytes }).text,
    )
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return false // whoever reads all of it tells what is wrong
  }
}
