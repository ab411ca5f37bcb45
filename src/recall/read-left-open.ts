import { listSessionFiles } from "./list-session-files.ts"
import type { OpenEnd } from "./read-open-ends.ts"

const lastSessions = 3
/** Of those without notes there may be some among the last. */
const listedSessions = 20
/** A session starts with this: what takes longer to read is left to whoever opens that session. */
const mostBytes = 1024 * 1024

/** What the last sessions left open, newest first. */
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
  const { readOpenEnds } = await import("./read-open-ends.ts") // brings a YAML parser and the schemas with it
  const newest = [...ids].sort().slice(-lastSessions).reverse() // an id begins with the time
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
