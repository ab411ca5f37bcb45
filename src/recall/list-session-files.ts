import { readdirSync } from "node:fs"
import { relative, sep } from "node:path"
import { codeOf } from "../disk/file-error.ts"
import { listFolder } from "../disk/list-folder.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import { lookAtName, lookAtPlainFile } from "./file-look.ts"
import type { OriginFile } from "./list-origins.ts"

type ListedFile = Pick<OriginFile, "absolute" | "look"> & { name: string }

const notesName = /^agent-memory(?:-archive)?(?:\.[a-z0-9-]+)?\.yaml$/

/** The note files of every session, or of the newest ones, archives included. Links are not followed. */
export function listSessionFiles(root: string, sessions: string, newest = Number.POSITIVE_INFINITY): OriginFile[] {
  const shown = relative(root, sessions).split(sep).join("/")
  const originsIn = (session: string, files: readonly ListedFile[]) =>
    files.map(({ name, absolute, look }): OriginFile => {
      const archived = name.startsWith("agent-memory-archive")
      return { kind: "session", key: `${shown}/${session}/${name}`, absolute, look, session, archived }
    })
  const items = listFolder(sessions)
  if (items === undefined) return originsIn("*", closed(sessions))
  const ids = items.flatMap((item) => (item.isDirectory() && isSessionId(item.name) ? item.name : []))
  const listed = ids.length > newest ? ids.sort().slice(-newest) : ids // an id begins with its start time
  return listed.flatMap((id) => originsIn(id, notesIn(`${sessions}/${id}`)))
}

/** The stamps without those of sessions, for queries that do not cover sessions. */
export function withoutSessions(known: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...known].filter(([key]) => !isSessionKey(key)))
}

function isSessionKey(key: string): boolean {
  return notesName.test(key.slice(key.lastIndexOf("/") + 1))
}

/** Matched by name: a stat of each file would take far longer. */
function notesIn(folder: string): ListedFile[] {
  try {
    return readdirSync(folder)
      .filter((name) => notesName.test(name))
      .flatMap((name) => {
        const absolute = `${folder}/${name}` // to join parts takes as long as to look, and there may be a thousand sessions
        const look = lookAtPlainFile(absolute)
        return look ? [{ name, absolute, look }] : []
      })
  } catch (error) {
    return codeOf(error) === "ENOENT" ? [] : closed(folder) // removed in the meantime, or not readable
  }
}

/** Lists an unreadable folder in place of its notes: reading it reports the problem. */
function closed(folder: string): ListedFile[] {
  const look = lookAtName(folder)
  return look ? [{ name: "agent-memory.yaml", absolute: folder, look }] : []
}
