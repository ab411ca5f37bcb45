import { setImmediate as othersTurn } from "node:timers/promises"
import type { Policy } from "../formats/policy.ts"
import type { Episode, EpisodeEvent } from "../memories/episode.ts"
import type { Decision, Settlement } from "../memories/learned-store.ts"
import type { Memory } from "../memories/memory.ts"
import { evaluateMemories } from "../memories/review/evaluation.ts"
import { settleEpisode } from "../memories/review/use-outcomes.ts"
import { taskTextOf, triggerOf } from "./episodes/episode-trigger.ts"
import { isCopy, type LearningParts, type LearningProject } from "./learning-parts.ts"

export type Evaluation = { at: string; decisions: Decision[] }

/**
 * Evaluates every memory visible to a project except copies of team memories, which the server evaluates. `dryRun`
 * changes nothing.
 */
export async function evaluateProject(
  parts: Pick<LearningParts, "store" | "policyFor" | "ownerType">,
  project: LearningProject,
  { now, dryRun = false }: { now: string; dryRun?: boolean },
): Promise<Evaluation> {
  const { store } = parts
  const decisions: Decision[] = []
  for (let after: Memory | undefined, isLast = false; !isLast; ) {
    const filter = { project: project.id, statuses: ["provisional", "active"], limit: pageSize } as const
    const memories = await store.memories(after ? { ...filter, after } : filter)
    after = memories.at(-1)
    isLast = memories.length < pageSize
    const made = memories
      .filter((memory) => !isCopy(parts, memory))
      .flatMap((memory) => evaluateMemories([memory], parts.policyFor(project.root, memory), now))
    decisions.push(...(dryRun ? made : await store.applyDecisions(project.id, made, now, { isEvaluation: isLast })))
    if (!isLast) await othersTurn()
  }
  return { at: now, decisions }
}

/** A team's project may have too many memories to load at once in a busy process. */
const pageSize = 1000

const lastOfSession = new Set<Episode["flushReason"]>(["session_end", "idle", "shutdown"])

/**
 * Due after several episodes, after a day of work, and at the end of a session, by the episodes' own time, so that a
 * replay decides like live work. The state is in the store alone: if a process is killed first, the next one evaluates.
 */
export async function evaluateIfDue(parts: LearningParts, project: LearningProject): Promise<Evaluation | undefined> {
  const { every_episodes, every_hours } = parts.policyOf(project.root).evaluate
  const { episodes, at, last } = await parts.store.sinceEvaluation(project.id)
  if (episodes === 0 || !last) return undefined
  const hours = at === undefined ? 0 : (Date.parse(last.end) - Date.parse(at)) / 3_600_000
  const isDue = lastOfSession.has(last.flushReason) || episodes >= every_episodes || hours >= every_hours
  return isDue ? evaluateProject(parts, project, { now: last.end }) : undefined
}

const mostUnasked = 50

/** What an episode shows about memories that were injected, or would have been relevant had its agent asked. */
export async function settle(parts: LearningParts, project: LearningProject, episode: Episode): Promise<Settlement> {
  const { store } = parts
  const policy = parts.policyOf(project.root)
  const tasks = await store.tasksOf(episode)
  const unasked = tasks.length > 0 ? [] : await relevantTo(parts, policy, episode)
  const memories = new Map<string, Memory>(unasked.map(({ memory }) => [memory.id, memory]))
  for (const id of new Set(tasks.flatMap(({ uses }) => uses.map(({ memory }) => memory)))) {
    for (const memory of await store.find(id)) memories.set(memory.id, memory)
  }
  const handedOut = tasks.flatMap(({ uses }) => uses.filter(({ injected }) => injected).map(({ memory }) => memory))
  const settlement = settleEpisode({
    episode,
    tasks,
    memories,
    unasked,
    named: (await namedIn(parts, episode)).filter(({ id }) => !handedOut.includes(id)),
    earlier: (await handedOutBefore(parts, episode)).filter(({ id }) => !handedOut.includes(id)),
    baseline: await store.baseline(episode.project, policy.baseline.window),
    policyFor: (memory) => parts.policyFor(project.root, memory),
    taskText: taskTextOf(episode),
    likeness: (memory, text) => parts.likeness?.(memory.text, text) ?? 0,
  })
  const isRenewedElsewhere = (id: string) => {
    const memory = memories.get(id)
    return memory !== undefined && isCopy(parts, memory)
  }
  const uses = settlement.uses.map(({ renewedUntil, ...use }) =>
    renewedUntil === undefined || isRenewedElsewhere(use.memory) ? use : { ...use, renewedUntil },
  )
  return { ...settlement, uses }
}

/** Memories that the user may mean although this episode's contexts did not have them: a session is given each only once. */
async function handedOutBefore({ store }: LearningParts, episode: Episode): Promise<Memory[]> {
  const isVerdict = ({ role, opener, frustration, statement }: EpisodeEvent) =>
    role === "user" && (opener === "correction" || frustration !== undefined || statement !== undefined)
  const said = episode.events.filter(isVerdict).map(({ summary, raw_snippet }) => `${summary} ${raw_snippet ?? ""}`)
  if (said.length === 0) return []
  const { project, end: now } = episode
  const near = await store.nearest({ project, text: said.join("\n"), now, limit: mostUnasked })
  return near.flatMap(({ memory }) => (memory.metrics.useCount > 0 ? [memory] : []))
}

/** The memories that the assistant cited by handle. Ambiguous handles are ignored. */
async function namedIn({ store }: LearningParts, { events, project }: Episode): Promise<Memory[]> {
  const handles = new Set(events.flatMap(({ role, cites }) => (role === "assistant" ? (cites ?? []) : [])))
  const named: Memory[] = []
  for (const handle of handles) {
    const found = (await store.find(handle)).filter(
      (memory) => memory.project === undefined || memory.project === project,
    )
    if (found.length === 1) named.push(...found)
  }
  return named
}

async function relevantTo({ store }: LearningParts, policy: Policy, episode: Episode) {
  const { tools, heads, paths, fingerprints } = triggerOf(episode)
  const near = await store.nearest({
    project: episode.project,
    text: taskTextOf(episode),
    now: episode.start,
    limit: mostUnasked,
    atLeast: policy.retrieval.opportunity_similarity,
    tools,
    heads,
    paths,
    fingerprints,
  })
  // Memories that did not exist yet, or had too low a confidence to be injected, are not opportunities.
  const { min_confidence } = policy.retrieval
  return near.filter(
    ({ memory }) => memory.created <= episode.start && (memory.confidence >= min_confidence || memory.evidence >= 2),
  )
}
