import { sha256 } from "../../disk/sha256.ts"
import type { MemoryStatus } from "../../store/memory.ts"
import type { OutboxEntry, TeamLedger } from "../../store/team-ledger.ts"
import { sharedMemory, type UseEvent, useEvent } from "../api.ts"
import type { ServerTrouble } from "./ask-server.ts"
import { attributed } from "./attributed.ts"
import type { Login } from "./login-file.ts"
import { problemOf } from "./problem-of.ts"
import type { TeamServer } from "./team-server.ts"

/** What became of all that waited for the server. */
export type Pushing = {
  uses: number
  /** `status`: how it stands with the team, which its server says. */
  shared: { memory: string; copy: string; status: MemoryStatus }[]
  unshared: string[]
  /** The server will never take these: they wait no longer. */
  refused: Refusal[]
  /** The server fails over these again and again: they still wait, but the others go on without them. */
  setAside: Refusal[]
  /** Why the rest still waits; undefined when nothing does. */
  trouble: ServerTrouble | undefined
}

export type Refusal = { kind: OutboxEntry["kind"]; memory: string; reason: string }

const mostAtOnce = 500
/** So many requests that fail again are enough for one time. */
const mostFailures = 10

/**
 * Tells the server what happened here, in that order. Each is forgotten only when the server has acknowledged it; sent twice, because the
 * acknowledgement was lost, it is known there by its key.
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
      atOnce = Math.ceil(uses.length / 2) // one of them, or their number, is what it does not take
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

/** What was set aside goes one by one: not all that the server failed over together need be to blame. */
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
  const sound = events.flatMap(({ data }): UseEvent[] => (data ? [data] : [])) // a time that is none can be told to nobody
  const answer = sound.length === 0 ? undefined : await server.use(sound)
  if (answer && answer.kind !== "answered") return answer
  await ledger.acknowledge(uses.map(({ entry }) => entry))
  pushing.uses += sound.length
  return undefined
}

/** Names a use for ever, whoever sends it how often. */
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

/** Whether the server itself fails, and does not say that it will be back. */
function isFailure(trouble: ServerTrouble): boolean {
  return trouble.kind === "refused" && trouble.status >= 500 && trouble.retryAfterMs === undefined
}

/** Whether asking again could never help. Who may tell of no use may be allowed to tomorrow; who may not share is told so. */
export function isFinal(trouble: ServerTrouble, kind: OutboxEntry["kind"]): boolean {
  if (trouble.kind !== "refused" || trouble.status >= 500) return false
  return ![401, 408, 425, 429, ...(kind === "use" ? [403] : [])].includes(trouble.status)
}
