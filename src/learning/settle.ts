import type { Episode } from "../episodes/episode.ts"
import { taskTextOf } from "../episodes/task-text.ts"
import { triggerOf } from "../episodes/trigger.ts"
import type { Policy } from "../formats/policy.ts"
import type { Settlement } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { settleEpisode } from "../upkeep/settle-episode.ts"
import { isCopy } from "./is-copy.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

const mostUnasked = 50

/** What an episode shows about memories that were injected, or would have been relevant had its agent asked. */
export async function settle(parts: LearningParts, project: Project, episode: Episode): Promise<Settlement> {
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
