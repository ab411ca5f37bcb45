import { loggedAgent } from "./agent-key.ts"
import { readContexts } from "./context-log.ts"
import type { Asking } from "./hand-out.ts"
import { listSessionFiles } from "./list-session-files.ts"
import type { OpenEnd } from "./read-open-ends.ts"
import type { Before } from "./session-pack.ts"

const lastSessions = 3
/** Of those without notes there may be some among the last. */
const listedSessions = 20
/** A session starts with this: what takes longer to read is left to whoever opens that session. */
const mostBytes = 1024 * 1024

/** What the last sessions left open, and when this agent was last handed anything in another session of its client than this one. */
export async function readBefore(
  places: { root: string; sessions: string | undefined; contexts: string },
  { agent, session }: Asking,
): Promise<Before> {
  const last = readContexts(places.contexts).findLast(
    (record) => record.agent === loggedAgent(agent) && (session === undefined || record.session !== session),
  )
  return { open: await leftOpen(places), since: last && Date.parse(last.at) }
}

async function leftOpen({ root, sessions }: { root: string; sessions: string | undefined }): Promise<OpenEnd[]> {
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
