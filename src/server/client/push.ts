import { sha256 } from "../../disk/hash.ts"
import { clearWithMarks } from "../../governance/cleared.ts"
import { placePaths } from "../../learning/episodes/excerpt.ts"
import type { Episode, EpisodeEvent } from "../../memories/episode.ts"
import type { MemoryStatus } from "../../memories/memory.ts"
import { episode as episodeForm, sharedMemory, type UploadedEpisode, type UseEvent, useEvent } from "../api.ts"
import { attributed, type Login } from "./login.ts"
import { problemOf, type ServerFailure, type TeamServerRequests } from "./requests.ts"
import type { EpisodeConsent, OutboxEntry, TeamLedger } from "./team-ledger.ts"

/** The number of episodes acknowledged by the server; `trouble` is why the rest was not sent. */
export type EpisodePushResult = { episodes: number; trouble: ServerFailure | undefined }

const mostAtOnceEpisodes = 20
/** Half of the server's body limit. */
const mostBytes = 4 * 1024 * 1024

/**
 * Sends the episodes of projects for which both the user and the team have enabled uploads. An episode is marked as sent only after the
 * server acknowledged it; the server dedupes by id if the acknowledgement was lost.
 */
export async function pushEpisodes(
  ledger: TeamLedger,
  server: TeamServerRequests,
  userHome: string,
): Promise<EpisodePushResult> {
  const pushing: EpisodePushResult = { episodes: 0, trouble: undefined }
  if ((await ledger.consents()).length === 0) return pushing
  pushing.trouble = await noteAgreements(ledger, server)
  if (pushing.trouble) return pushing
  for (const consent of await ledger.consents()) {
    if (consent.isAgreed) pushing.trouble = await pushProject(ledger, server, { consent, userHome, pushing })
    if (pushing.trouble) return pushing
  }
  return pushing
}

/** Refreshes the server's side of every consent. */
export async function noteAgreements(
  ledger: TeamLedger,
  server: TeamServerRequests,
): Promise<ServerFailure | undefined> {
  const answer = await server.projects()
  if (answer.kind !== "answered") return answer
  const agreed = new Set(answer.value.projects.flatMap(({ id, episodes }) => (episodes ? [id] : [])))
  for (const { project } of await ledger.consents()) await ledger.noteAgreement(project, agreed.has(project))
  return undefined
}

type ProjectPush = { consent: EpisodeConsent; userHome: string; pushing: EpisodePushResult }

async function pushProject(
  ledger: TeamLedger,
  server: TeamServerRequests,
  { consent: { project, root }, userHome, pushing }: ProjectPush,
): Promise<ServerFailure | undefined> {
  let atOnce = mostAtOnceEpisodes
  for (;;) {
    const unsent = await ledger.unsentEpisodes(project, atOnce)
    if (unsent.length === 0) return undefined
    const sized = unsent.map((episode) => withSize(episode.id, uploadEpisode(episode, { root, userHome })))
    const unfit = sized.flatMap((each) => (each.kind === "unfit" ? [each.id] : []))
    if (unfit.length > 0) {
      await ledger.noteSent(unfit, { isRefused: true })
      continue
    }
    const batch = takeWhatFits(sized.filter((each) => each.kind === "fit"))
    const answer = await server.episodes(batch.map(({ upload }) => upload))
    const ids = batch.map(({ id }) => id)
    if (answer.kind === "answered") {
      await ledger.noteSent(ids, { isRefused: false })
      pushing.episodes += ids.length - answer.value.refused
      atOnce = mostAtOnceEpisodes
    } else if (isNotAgreed(answer)) {
      await ledger.noteAgreement(project, false) // an administrator has just disabled it; shown in the status
      return undefined
    } else if (!isFinal(answer, "use")) {
      return answer
    } else if (ids.length > 1) {
      atOnce = Math.ceil(ids.length / 2) // the server rejects one of them, or the batch is too large
    } else {
      await ledger.noteSent(ids, { isRefused: true })
    }
  }
}

type Sized = { kind: "fit"; id: string; upload: UploadedEpisode; bytes: number } | { kind: "unfit"; id: string }
type Fit = Extract<Sized, { kind: "fit" }>

function withSize(id: string, upload: UploadedEpisode | undefined): Sized {
  const bytes = upload === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(upload))
  return upload === undefined || bytes > mostBytes ? { kind: "unfit", id } : { kind: "fit", id, upload, bytes }
}

/** The first episodes that fit into one request. */
function takeWhatFits(episodes: readonly Fit[]): Fit[] {
  let bytes = 0
  const end = episodes.findIndex((each) => {
    bytes += each.bytes
    return bytes > mostBytes
  })
  return end === -1 ? [...episodes] : episodes.slice(0, end)
}

function isNotAgreed(trouble: ServerFailure): boolean {
  return trouble.kind === "refused" && trouble.code === "episodes-not-agreed"
}

/** The result of sending the outbox. */
export type PushResult = {
  uses: number
  /** `status`: of the team's copy. */
  shared: { memory: string; copy: string; status: MemoryStatus }[]
  unshared: string[]
  /** Rejected for good and removed from the outbox. */
  refused: PushRefusal[]
  /** The server failed on these repeatedly: they stay in the outbox but no longer block the others. */
  setAside: PushRefusal[]
  /** Why the rest was not sent; undefined when everything was. */
  trouble: ServerFailure | undefined
}

export type PushRefusal = { kind: OutboxEntry["kind"]; memory: string; reason: string }

const mostAtOnce = 500
/** Give up after this many retries that fail. */
const mostFailures = 10

/**
 * Sends events in the order in which they happened. An event is removed only after the server acknowledged it; the server dedupes by key
 * if the acknowledgement was lost.
 */
export async function pushOutbox(ledger: TeamLedger, server: TeamServerRequests, login: Login): Promise<PushResult> {
  const pushing: PushResult = { uses: 0, shared: [], unshared: [], refused: [], setAside: [], trouble: undefined }
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
  server: TeamServerRequests,
  { member }: Login,
  uses: readonly Use[],
  pushing: PushResult,
): Promise<ServerFailure | undefined> {
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
  server: TeamServerRequests,
  login: Login,
  given: Share,
  pushing: PushResult,
): Promise<ServerFailure | undefined> {
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
function isFailure(trouble: ServerFailure): boolean {
  return trouble.kind === "refused" && trouble.status >= 500 && trouble.retryAfterMs === undefined
}

/** Whether retrying is pointless. A read-only token may be upgraded, so forbidden usage events are kept; forbidden shares are reported. */
function isFinal(trouble: ServerFailure, kind: OutboxEntry["kind"]): boolean {
  if (trouble.kind !== "refused" || trouble.status >= 500) return false
  return ![401, 408, 425, 429, ...(kind === "use" ? [403] : [])].includes(trouble.status)
}

/** Local paths, removed from everything that is uploaded. */
type EpisodePlace = { root: string; userHome: string }

/**
 * Prepares an episode for upload: every word is redacted again, paths start at the project or at `~`, and the transcript's path is left out.
 * Undefined if the episode does not fit the server's schema.
 */
function uploadEpisode(
  { id, project, client, session, start, end, events, stats, flushReason }: Episode,
  place: EpisodePlace,
): UploadedEpisode | undefined {
  const upload = episodeForm.safeParse({
    ...{ id, project, client, start, end, stats, flushReason },
    session: placed(session, place),
    events: events.map((event) => clearEvent(event, place)),
  })
  return upload.data
}

/** Ids and times are not redacted: two different ids could become the same. */
function clearEvent(event: EpisodeEvent, place: EpisodePlace): object {
  const clear = (value: unknown) => (typeof value === "string" ? clearWithMarks(placed(value, place)) : value)
  const { id, ts, ...words } = event
  const cleared = Object.entries(words).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(clear) : clear(value),
  ])
  return { id: placed(id, place), ts, ...Object.fromEntries(cleared) }
}

/** Episodes already have the usual home folders removed; this one may be in an unusual place. */
function placed(text: string, { root, userHome }: EpisodePlace): string {
  const shown = placePaths(text, root)
  return userHome.length > 1 && shown.includes(userHome) ? shown.replaceAll(userHome, "~") : shown
}
