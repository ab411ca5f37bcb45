import { sha256 } from "../../disk/sha256.ts"
import type { MemoryStatus } from "../../store/memory.ts"
import type { OutboxEntry, TeamLedger } from "../../store/team-ledger.ts"
import { sharedMemory, type UseEvent, useEvent } from "../api.ts"
import type { ServerTrouble } from "./ask-server.ts"
import { attributed } from "./attributed.ts"
import type { Login } from "./login-file.ts"
import { problemOf } from "./problem-of.ts"
import type { TeamServer } from "./team-server.ts"

/** The result of sending the outbox. */
export type Pushing = {
  uses: number
  /** `status`: of the team's copy. */
  shared: { memory: string; copy: string; status: MemoryStatus }[]
  unshared: string[]
  /** Rejected for good and removed from the outbox. */
  refused: Refusal[]
  /** The server failed on these repeatedly: they stay in the outbox but no longer block the others. */
  setAside: Refusal[]
  /** Why the rest was not sent; undefined when everything was. */
  trouble: ServerTrouble | undefined
}

export type Refusal = { kind: OutboxEntry["kind"]; memory: string; reason: string }

const mostAtOnce = 500
/** Give up after this many retries that fail. */
const mostFailures = 10

/**
 * Sends events in the order in which they happened. An event is removed only after the server acknowledged it; the server dedupes by key
 * if the acknowledgement was lost.
 */
export async function pushOutbox(ledger: TeamLedger, server: TeamServer, login: Login): Promise<Pushing> {
  const pushing: Pushing = { uses: 0, shared: [], unshared: [], refused: [], setAside: [], trouble: undefined }
  const failed = new Set<number>()
  let atOnce = mostAtOnce
  for (;;) {
    const waiting = await ledger.waiting(atOnce)
    const [first] = waiting
    if (!first || failed.has(first.entry) || pushing.setAside.length >= mostFailures) return pushing
    const uses = leadingUses(waiting)
    const trouble =
      first.kind === "use"
        ? await pushUses(ledger, server, login, uses, pushing)
        : await pushOne(ledger, server, login, first, pushing)
    if (!trouble) {
      atOnce = mostAtOnce
    } else if (uses.length > 1 && isFinal(trouble, "use")) {
      atOnce = Math.ceil(uses.length / 2) // the server rejects one of them, or the batch is too large
    } else if (isFinal(trouble, first.kind)) {
      pushing.refused.push({ kind: first.kind, memory: memoryOf(first), reason: trouble.reason })
      await ledger.acknowledge([first.entry])
    } else if (isFailure(trouble) && (await ledger.noteFailure(entriesOf(first, uses)))) {
      for (const entry of entriesOf(first, uses)) failed.add(entry)
      const reason = problemOf(trouble, login.server).message
      pushing.setAside.push({ kind: first.kind, memory: memoryOf(first), reason })
    } else {
      return { ...pushing, trouble }
    }
  }
}

type Use = Extract<OutboxEntry, { kind: "use" }>
type Share = Exclude<OutboxEntry, Use>

/** Retries set-aside events one by one: only some of a failed batch may be at fault. */
function leadingUses(waiting: readonly OutboxEntry[]): Use[] {
  const uses: Use[] = []
  for (const each of waiting) {
    if (each.kind !== "use" || (each.isSetAside && uses.length > 0)) break
    uses.push(each)
    if (each.isSetAside) break
  }
  return uses
}

function entriesOf(first: OutboxEntry, uses: readonly Use[]): number[] {
  return first.kind === "use" ? uses.map(({ entry }) => entry) : [first.entry]
}

function memoryOf(entry: OutboxEntry): string {
  return entry.kind === "use" ? entry.event.memory : nameOf(entry)
}

async function pushUses(
  ledger: TeamLedger,
  server: TeamServer,
  { member }: Login,
  uses: readonly Use[],
  pushing: Pushing,
): Promise<ServerTrouble | undefined> {
  const events = uses.map((use) => useEvent.safeParse({ ...use.event, key: useKeyOf(member.id, use) }))
  const sound = events.flatMap(({ data }): UseEvent[] => (data ? [data] : [])) // events with an invalid time are dropped
  const answer = sound.length === 0 ? undefined : await server.use(sound)
  if (answer && answer.kind !== "answered") return answer
  await ledger.acknowledge(uses.map(({ entry }) => entry))
  pushing.uses += sound.length
  return undefined
}

/** Idempotency key of a usage event. */
export function useKeyOf(member: string, { event, occasion }: Pick<Use, "event" | "occasion">): string {
  return sha256([member, event.memory, event.task, occasion].join("\n"))
}

async function pushOne(
  ledger: TeamLedger,
  server: TeamServer,
  login: Login,
  given: Share,
  pushing: Pushing,
): Promise<ServerTrouble | undefined> {
  await ledger.noteAttempt(given.entry)
  const key = sha256([login.member.id, nameOf(given), given.kind, JSON.stringify(given.memory)].join("\n"))
  if (given.kind === "share") {
    const answer = await server.share(sharedMemory.parse(given.memory), key)
    if (answer.kind !== "answered") return answer
    await ledger.acknowledge([given.entry], { copy: attributed(answer.value, login) })
    pushing.shared.push({ memory: nameOf(given), copy: answer.value.id, status: answer.value.status })
    return undefined
  }
  const copy = (await ledger.copyOf(given.memory)) ?? given.memory
  const answer = await server.unshare(copy, given.reason, key)
  const isGone = answer.kind === "answered" || (answer.kind === "refused" && [404, 410].includes(answer.status))
  if (!isGone) return answer
  await ledger.acknowledge([given.entry], { gone: copy })
  pushing.unshared.push(given.memory)
  return undefined
}

function nameOf(given: Share): string {
  return given.kind === "share" ? given.memory.sourceMemory : given.memory
}

/** Whether the server failed without announcing when to retry. */
function isFailure(trouble: ServerTrouble): boolean {
  return trouble.kind === "refused" && trouble.status >= 500 && trouble.retryAfterMs === undefined
}

/** Whether retrying is pointless. A read-only token may be upgraded, so forbidden usage events are kept; forbidden shares are reported. */
export function isFinal(trouble: ServerTrouble, kind: OutboxEntry["kind"]): boolean {
  if (trouble.kind !== "refused" || trouble.status >= 500) return false
  return ![401, 408, 425, 429, ...(kind === "use" ? [403] : [])].includes(trouble.status)
}
