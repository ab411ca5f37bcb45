import { listSessionFiles } from "./list-session-files.ts"
import type { OpenEnd } from "./read-open-ends.ts"

const lastSessions = 3
/** More than are shown: some sessions have no notes. */
const listedSessions = 20
/** This delays the start of a session, so larger files are skipped. */
const mostBytes = 1024 * 1024

/** Open ends of the last sessions, newest first. */
export async function readLeftOpen({
  root,
  sessions,
}: {
  root: string
  sessions: string | undefined
}): Promise<OpenEnd[]> {
  const files = sessions === undefined ? [] : listSessionFiles(root, sessions, listedSessions)
  const ids = new Set(files.flatMap((file) => (file.kind === "session" ? [file.session] : [])))
  if (ids.size === 0) return []
  const { readOpenEnds } = await import("./read-open-ends.ts") // pulls in a YAML parser and the schemas
  const newest = [...ids].sort().slice(-lastSessions).reverse() // an id begins with its start time
  let bytes = 0
  return newest.flatMap((id) => {
    const own = files.filter((file) => {
      if (file.kind !== "session" || file.session !== id || bytes + file.look.bytes > mostBytes) return false
      bytes += file.look.bytes
      return true
    })
    return readOpenEnds(own, new Set([id]))
  })
}
