import type { Episode, EpisodeEvent } from "../episodes/episode.ts"
import { namesKey, plainWords } from "../formats/names-key.ts"
import type { Policy } from "../formats/policy.ts"
import type { Baseline, Near, RecordedTask, RecordedUse, SettledUse, Settlement } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { addDays } from "./days.ts"
import { judgeUse } from "./judge-use.ts"
import { hasRecurred, isCited, isCorrected, isExposed } from "./put-to-the-test.ts"

export type SettleInput = {
  episode: Episode
  /** The episode's tasks for which a context was built. */
  tasks: readonly RecordedTask[]
  memories: ReadonlyMap<string, Memory>
  /** What would have been relevant, for an episode without a context request. */
  unasked: readonly Near[]
  /**
   * Memories that the assistant cited without a context of this episode: injected earlier in the session, or found by a
   * search.
   */
  named: readonly Memory[]
  baseline: Baseline
  /** The policy for one memory. */
  policyFor(memory: Memory): Policy
  /** The subject of the episode in the user's words. */
  taskText: string
  /** The similarity of a memory to a text, 0 to 1. */
  likeness(memory: Memory, text: string): number
}

/** What an episode shows about memories that were, or could have been, useful in it. */
export function settleEpisode(input: SettleInput): Settlement {
  const asked = input.tasks.length === 0 ? settleUnasked(input) : settleTasks(input)
  const uses = [...asked.filter(({ memory }) => !input.named.some(({ id }) => id === memory)), ...settleNamed(input)]
  return { uses, injected: input.tasks.some(({ uses }) => uses.some(({ injected }) => injected)) }
}

/** No context was requested, so nothing was injected: opportunities without a verdict. */
function settleUnasked(input: SettleInput): SettledUse[] {
  const isAbout = aboutTest(input)
  return input.unasked.map(({ memory }) => ({
    memory: memory.id,
    task: undefined,
    ...unjudged,
    exposed: isExposed(memory, input.episode.events, { isAbout }),
  }))
}

/** A citation is a use, whatever brought up the memory. */
function settleNamed(input: SettleInput): SettledUse[] {
  const isAbout = aboutTest(input)
  return input.named.map((memory) => {
    const { events } = input.episode
    const settled = { memory: memory.id, task: undefined, ...unjudged, exposed: isExposed(memory, events, { isAbout }) }
    return judge(settled, memory, { events, use: { outcome: undefined }, injected: input.named.length }, input)
  })
}

/**
 * Whether a memory matches the subject of an episode: similar to its words, or with a key that they or its commands
 * match.
 */
function aboutTest({ episode, taskText, policyFor, likeness }: SettleInput): (memory: Memory) => boolean {
  const words = plainWords([taskText, ...episode.events.map(({ head }) => head ?? "")].join(" "))
  return (memory) =>
    (memory.key !== undefined && namesKey(words, memory.key)) ||
    likeness(memory, taskText) >= policyFor(memory).retrieval.opportunity_similarity
}

const unjudged = { exposed: false, cited: false, hit: false, miss: false, regretSaved: 0, netRegret: 0 }

function settleTasks(input: SettleInput): SettledUse[] {
  const all = input.tasks.flatMap((task) => task.uses.map((use) => ({ task, use })))
  const injected = new Set(all.filter(({ use }) => use.injected).map(({ use }) => use.memory))
  const judged = new Set<string>()
  const isAbout = aboutTest(input)
  return all.flatMap(({ task, use }) => {
    const memory = input.memories.get(use.memory)
    if (!memory) return [] // forgotten since
    const events = eventsSince(task, input.episode)
    const settled = { memory: memory.id, task: task.task, ...unjudged, exposed: isExposed(memory, events, { isAbout }) }
    if (!use.injected || judged.has(memory.id)) return [settled]
    judged.add(memory.id) // one verdict per memory and episode, however many of its tasks included it
    return [judge(settled, memory, { events, use, injected: injected.size }, input)]
  })
}

function judge(
  settled: SettledUse,
  memory: Memory,
  { events, use, injected }: { events: readonly EpisodeEvent[]; use: Pick<RecordedUse, "outcome">; injected: number },
  { episode, baseline, policyFor, likeness }: SettleInput,
): SettledUse {
  const cited = isCited(memory, events)
  const corrected = isCorrected(events, (text) => likeness(memory, text))
  const policy = policyFor(memory)
  const verdict = judgeUse(
    {
      exposed: settled.exposed,
      // A memory from the user's words has no error that could occur again; having to repeat them is the equivalent.
      recurred: hasRecurred(memory, events) || (corrected && memory.trigger.fingerprints.length === 0),
      corrected,
      credited: cited || use.outcome === "helped",
      errors: episode.stats.error_count,
      retries: episode.stats.retry_loops,
      testsFailed: episode.stats.tests_final_status === "failed",
      injected,
    },
    baseline,
    policy,
  )
  const renews = verdict.hit && memory.kind === "guard" && memory.tier === "emergency"
  const until = renews ? { renewedUntil: addDays(episode.end, policy.ttl.default.emergency_days) } : {}
  return { ...settled, cited, ...verdict, ...until }
}

/** Events before the context was injected do not count. */
function eventsSince({ task, ts }: RecordedTask, { events }: Episode): readonly EpisodeEvent[] {
  const at = events.findIndex(({ contexts }) => contexts?.includes(task))
  return at === -1 ? events.filter((event) => event.ts === "" || event.ts >= ts) : events.slice(at)
}
