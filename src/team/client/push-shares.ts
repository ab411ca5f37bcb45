import { withLock } from "../../disk/lock.ts"
import { DreyError } from "../../errors.ts"
import { problemOf } from "./problem-of.ts"
import { type Pushing, pushOutbox, type Refusal } from "./push-outbox.ts"
import { type SyncParts, syncLock } from "./sync-team.ts"
import { teamServer } from "./team-server.ts"

/** `waiting`: memories that are sent with the next successful sync, and why. */
export type ShareResult = {
  shared: Pushing["shared"]
  unshared: string[]
  refused: Pick<Refusal, "memory" | "reason">[]
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
