import { withLock } from "../../disk/lock.ts"
import { DreyError } from "../../errors.ts"
import { parseMemoryKey } from "../../formats/ids.ts"
import { clearText } from "../../governance/cleared.ts"
import type { Memory } from "../../memories/memory.ts"
import { clearMemoryText, clearName, clearTrigger } from "../../memories/proposal.ts"
import type { SharedMemory } from "../api.ts"
import { type PushRefusal, type PushResult, pushOutbox } from "./push.ts"
import { problemOf, teamServer } from "./requests.ts"
import { type SyncParts, syncLock } from "./sync.ts"

/** `waiting`: memories that are sent with the next successful sync, and why. */
export type ShareResult = {
  shared: PushResult["shared"]
  unshared: string[]
  refused: Pick<PushRefusal, "memory" | "reason">[]
  waiting: { memories: string[]; reason: string } | undefined
}

/** Sends the outbox and returns the result for these memories. */
export async function pushShares(
  { home, login, ledger }: Pick<SyncParts, "home" | "login" | "ledger">,
  wanted: readonly string[],
): Promise<ShareResult> {
  const pushing = await withLockInTime(syncLock(home), () => pushOutbox(ledger, teamServer(login), login))
  if (!pushing) return { ...nothingSent, waiting: { memories: [...wanted], reason: "another process is syncing" } }
  const { shared, unshared, refused, setAside, trouble } = pushing
  const done = new Set([...shared, ...refused].map(({ memory }) => memory).concat(unshared))
  const memories = wanted.filter((id) => !done.has(id))
  const reason = trouble ? problemOf(trouble, login.server).message : setAside[0]?.reason
  const waiting = reason === undefined || memories.length === 0 ? undefined : { memories, reason }
  return { shared, unshared, refused, waiting }
}

const nothingSent = { shared: [], unshared: [], refused: [] }

/** Undefined when another process has held the lock for too long. */
async function withLockInTime<Result>(lock: string, act: () => Promise<Result>): Promise<Result | undefined> {
  let isOurs = false
  const acting = async () => {
    isOurs = true
    return act()
  }
  try {
    return await withLock(lock, acting, { waitMs: 5000 })
  } catch (error) {
    if (isOurs || !(error instanceof DreyError)) throw error
    return undefined
  }
}

/** What would be sent of a memory, or why it cannot be shared. The reason never contains the text. */
export type ShareDraft = { kind: "ready"; memory: SharedMemory } | { kind: "refused"; id: string; reason: string }

/** Prepares a memory for sharing; every word passes the governance check. `team` null: share with the whole organisation. */
export function shareMemory(memory: Memory, team: string | null): ShareDraft {
  const refused = (reason: string): ShareDraft => ({ kind: "refused", id: memory.id, reason })
  if (memory.owner.type !== "user") return refused("it already belongs to the team")
  if (memory.status === "deprecated") return refused("it has ended")
  const cleared = clearMemoryText(memory.text)
  if (cleared.kind === "refused") return refused(`it contains sensitive content: ${cleared.reason}`)
  const key = clearName(parseMemoryKey(memory.key ?? ""))
  if ((key === undefined) !== (memory.key === undefined)) return refused("its key contains a secret")
  const path = memory.pathPrefix === undefined ? undefined : clearText(memory.pathPrefix, "reject")
  if (path?.kind === "refused") return refused(`its path contains sensitive content: ${path.reason}`)
  const { project, scope, kind, tier, polarity, status, confidence, expires, trigger, origin, trust, created } = memory
  return {
    kind: "ready",
    memory: {
      project: project ?? null,
      scope,
      pathPrefix: path?.text ?? null,
      kind,
      tier,
      polarity,
      key: key ?? null,
      text: cleared.text,
      status,
      confidence,
      expires: expires ?? null,
      trigger: clearTrigger(trigger),
      origin,
      trust,
      created,
      sourceMemory: memory.id,
      team,
    },
  }
}
