import type { Store } from "../squad/find-store.ts"
import { agentKey } from "./agent-key.ts"
import { readContexts } from "./context-log.ts"
import type { Asking } from "./hand-out.ts"
import type { RecallParts } from "./recall-parts.ts"
import { findRecent } from "./recent.ts"
import type { Before } from "./session-pack.ts"

/** What the last session left open, and when this agent was last handed anything in another session than this one. */
export async function readBefore(
  parts: RecallParts,
  places: { store: Store; sessions: string | undefined; contexts: string },
  { agent, session }: Asking,
): Promise<Before> {
  const recent = await findRecent(parts, places, {})
  const last = readContexts(places.contexts).findLast(
    (record) => record.agent === agentKey(agent) && (session === undefined || record.session !== session),
  )
  return { open: recent?.open ?? [], since: last && Date.parse(last.at) }
}
