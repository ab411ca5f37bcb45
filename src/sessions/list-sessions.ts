import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import { deriveMetadata } from "./derive-metadata.ts"
import type { SessionSummary } from "./session.ts"
import { openSessionFiles } from "./session-files.ts"

/** All sessions, the newest first, by their metadata alone; only where that cannot be read are the other files asked. */
export function listSessions(folder: string, options: { active?: boolean } = {}): SessionSummary[] {
  return sessionIds(folder, options)
    .map((id) => summarizeSession(join(folder, id), id))
    .filter((each) => !options.active || each.kind === "unreadable" || each.metadata.status === "active")
}

/**
 * The newest first: an id begins with the time of its start. A link is no session: it may lead anywhere. With `active`, those that have
 * ended are left out as far as a glance can tell.
 */
export function sessionIds(folder: string, options: { active?: boolean } = {}): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })) return []
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((item) => item.isDirectory() && isSessionId(item.name))
      .map(({ name }) => name)
      .filter((id) => !options.active || !saysItEnded(join(folder, id, "metadata.yaml")))
      .sort((one, other) => (one < other ? 1 : -1))
  } catch (error) {
    throw fileError(folder, error)
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
    return /^status: *"?(?:complete|failed|cancelled)"?\r?$/m.test(readTextFile(metadataPath).text)
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return false // whoever reads all of it tells what is wrong
  }
}
