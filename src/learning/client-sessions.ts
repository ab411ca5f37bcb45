import type { ClientSession, SessionTask } from "../formats/client-session.ts"
import { type EpisodeEvent, subAgentOf } from "../memories/episode.ts"
import type { OpenTask, SessionEpisodes, SessionFilter, StoredEpisode } from "../memories/learned-store.ts"
import { failureChainsOf, isFailure, statsOf } from "./episodes/episode-stats.ts"
import type { LearningParts, LearningProject } from "./learning-parts.ts"

/** `without`: a session to leave out, such as the caller's. */
export type SessionRequest = SessionFilter & { without?: string | undefined }

/** What happened in a project's agent sessions, newest first; a running session does not count toward the limit. */
export async function listClientSessions(
  parts: LearningParts,
  project: LearningProject,
  { limit, without, ...filter }: SessionRequest,
): Promise<ClientSession[]> {
  const { store } = parts
  const open = (await store.openTasks({ project: project.id })).filter(({ events }) => !subAgentOf(events))
  const closed = await store.clientSessions(project.id, { ...filter, limit: limit + open.length + 1 })
  const isKnown = ({ client, session }: OpenTask) =>
    closed.some((each) => each.client === client && each.session === session)
  const isWanted = ({ client, session, events }: OpenTask) =>
    (events.at(-1)?.ts ?? "") >= (filter.since ?? "") &&
    (filter.of === undefined || filter.of.client === client || filter.of.sessions.includes(session))
  const unclosed = open.filter((task) => !isKnown(task) && isWanted(task))
  const sessions: ClientSession[] = []
  for (const each of [...closed, ...unclosed.map(({ client, session }) => ({ client, session, episodes: [] }))]) {
    const task = open.find(({ client, session }) => client === each.client && session === each.session)
    sessions.push(await describe(parts, project, each, task))
  }
  let left = limit
  return sessions
    .sort((one, other) => other.end - one.end)
    .filter(({ session, isRunning }) => session !== without && (isRunning || left-- > 0))
}

async function describe(
  parts: LearningParts,
  project: LearningProject,
  { client, session, episodes }: SessionEpisodes,
  open: OpenTask | undefined,
): Promise<ClientSession> {
  const events = [...episodes.flatMap((episode) => episode.events), ...(open?.events ?? [])]
  const times = events.map(({ ts }) => Date.parse(ts)).filter((time) => !Number.isNaN(time))
  const end = Math.max(...times)
  const idleMs = parts.policyOf(project.root).episode.idle_minutes * 60_000
  const isRunning = open !== undefined && parts.now().getTime() - end < idleMs
  return {
    client,
    name: parts.clients.find(({ id }) => id === client)?.name ?? client,
    session,
    transcript: episodes[0]?.transcript ?? open?.transcript ?? "",
    start: Math.min(...times),
    end,
    isRunning,
    tasks: tasksOf(episodes, open, isRunning),
    learned: await learnedFrom(parts, episodes),
    waiting: episodes.filter(({ processed }) => !processed).length + (open ? 1 : 0),
    files: filesOf(events),
    failed: failedIn(events),
  }
}

/** Each episode is a task, except continuations of the previous one. */
function tasksOf(episodes: readonly StoredEpisode[], open: OpenTask | undefined, isRunning: boolean): SessionTask[] {
  const parts = [
    ...episodes.map(({ events, stats, continuationOf }) => ({ events, outcome: stats.outcome, continuationOf })),
    ...(open
      ? [
          {
            events: open.events,
            outcome: isRunning ? ("running" as const) : statsOf(open.events).outcome,
            continuationOf: open.continuationOf,
          },
        ]
      : []),
  ]
  const tasks: SessionTask[] = []
  for (const { events, outcome, continuationOf } of parts) {
    const [first, ...more] = requestsIn(events)
    const last = tasks.at(-1)
    if (last && (continuationOf !== undefined || first === undefined)) {
      last.outcome = outcome
      last.more += more.length + (first === undefined ? 0 : 1)
    } else if (first !== undefined) tasks.push({ text: first, outcome, more: more.length })
  }
  return tasks
}

function requestsIn(events: readonly EpisodeEvent[]): string[] {
  return events
    .filter(({ role, kind, incident }) => role === "user" && kind === "message" && incident === undefined)
    .map(({ summary }) => summary)
    .filter((text) => text.trim() !== "")
}

/** Memories already listed for another session are not repeated. */
async function learnedFrom(
  { store }: LearningParts,
  episodes: readonly StoredEpisode[],
): Promise<ClientSession["learned"]> {
  const ends = new Set(episodes.map(({ end }) => end)) // a memory is as old as its source episode
  const found = new Map<string, ClientSession["learned"][number]>()
  for (const { id: episode } of episodes)
    for (const { id, kind, text, created } of await store.memories({ episode, statuses: ["provisional", "active"] }))
      if (ends.has(created)) found.set(id, { id, kind, text })
  return [...found.values()]
}

function filesOf(events: readonly EpisodeEvent[]): string[] {
  const edits = new Map<string, number>()
  for (const { kind, action, file } of events)
    if (kind === "tool_call" && action === "edit" && file !== undefined && !isOutside(file))
      edits.set(file, (edits.get(file) ?? 0) + 1)
  return [...edits].sort(([, one], [, other]) => other - one).map(([file]) => file)
}

/** The client's own notes and plans are not part of the work. */
function isOutside(file: string): boolean {
  return /^(?:~|\/|[A-Za-z]:|\.\.(?:\/|$))/.test(file)
}

/** Commands whose latest result is a failure. Search commands fail when there is nothing to find. */
function failedIn(events: readonly EpisodeEvent[]): ClientSession["failed"] {
  return failureChainsOf(events).flatMap(({ failures, success }) => {
    const last = events[failures.at(-1) ?? -1]
    if (success !== undefined || last === undefined || last.action !== "run" || !isFailure(last)) return []
    return [{ command: plainCommand(last), error: last.raw_snippet ?? last.summary, times: failures.length }]
  })
}

/** Without its directory and output redirection. */
function plainCommand({ command, head, tool_name }: EpisodeEvent): string {
  const plain = command?.replace(/^\s*cd [^;&|\n]{1,300}(?:&&|;)\s*/, "").replace(/\s*2>&1.*$/s, "")
  return plain?.trim() || head || tool_name || ""
}
