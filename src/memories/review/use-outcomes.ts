import { handleOf } from "../../formats/ids.ts"
import { plainWords, taskMatchesKey } from "../../formats/memory-topics.ts"
import type { Policy } from "../../formats/policy.ts"
import type { Episode, EpisodeEvent } from "../episode.ts"
import type { Baseline, NearMemory, RecordedTask, RecordedUse, SettledUse, Settlement } from "../learned-store.ts"
import type { Memory } from "../memory.ts"
import { addDays } from "./evaluation.ts"
import { type Advice, adviceOf, runVerdict, userVerdict } from "./user-verdict.ts"

export type SettleInput = {
  episode: Episode
  /** The episode's tasks for which a context was built. */
  tasks: readonly RecordedTask[]
  memories: ReadonlyMap<string, Memory>
  /** What would have been relevant, for an episode without a context request. */
  unasked: readonly NearMemory[]
  /**
   * Memories that the assistant cited without a context of this episode: injected earlier in the session, or found by a
   * search.
   */
  named: readonly Memory[]
  /** Memories that an agent was given before, and whose subject the user may mention. */
  earlier?: readonly Memory[]
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
  uses.push(...settleContradicted(input, new Set(uses.map(({ memory }) => memory))))
  return { uses, injected: input.tasks.some(({ uses }) => uses.some(({ injected }) => injected)) }
}

/** The user contradicts what an agent was given in an earlier task. */
function settleContradicted({ earlier = [], episode }: SettleInput, settled: ReadonlySet<string>): SettledUse[] {
  return earlier
    .filter(({ id, text }) => {
      const advice = adviceOf(text)
      return !settled.has(id) && episode.events.some((event) => userVerdict(advice, event) === "contradicts")
    })
    .map(({ id }) => ({ memory: id, task: undefined, ...unjudged, miss: true, contradicted: true }))
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
    (memory.key !== undefined && taskMatchesKey(words, memory.key)) ||
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
  const policy = policyFor(memory)
  const seen = seenIn(memory, events, (text) => likeness(memory, text))
  const verdict = judgeUse(
    {
      exposed: settled.exposed || seen.shown || seen.failed,
      ...seen,
      credited: cited || use.outcome === "helped",
      errors: episode.stats.error_count,
      retries: episode.stats.retry_loops,
      testsFailed: episode.stats.tests_final_status === "failed",
      injected,
    },
    baseline,
    policy,
  )
  const { emergency_days, short_term_days } = policy.ttl.default
  const days = memory.tier !== "emergency" ? short_term_days : memory.kind === "guard" ? emergency_days : 0
  const renews = verdict.hit && memory.tier !== "long_term" && days > 0
  const until = renews ? { renewedUntil: addDays(episode.end, days) } : {}
  return { ...settled, cited, ...verdict, ...(seen.contradicted && { contradicted: true }), ...until }
}

/** What the events show of a memory that was handed out before them. */
function seenIn(
  memory: Memory,
  events: readonly EpisodeEvent[],
  likenessTo: (text: string) => number,
): Pick<Trial, "contradicted" | "failed" | "shown"> {
  const advice = adviceOf(memory.text)
  const said = events.map((event) => userVerdict(advice, event))
  const runs = events.map((event) => runVerdict(advice, event)).filter((verdict) => verdict !== undefined)
  const contradicted = said.includes("contradicts")
  const repeated = said.includes("repeats") || isCorrected(events, likenessTo)
  const failed = repeated || hasRecurred(memory, events) || runs.includes("against") || runs.at(-1) === "failed"
  const shown = runs.at(-1) === "passed" || isAvoided(memory, events) || isConfirmed(advice, events)
  return { contradicted, failed, shown }
}

/** What had failed was run again, and the known error did not come. */
function isAvoided({ trigger: { heads, fingerprints } }: Memory, events: readonly EpisodeEvent[]): boolean {
  const wasRun = events.some(
    ({ kind, head, incident }) => kind === "tool_result" && !incident && head !== undefined && heads.includes(head),
  )
  return fingerprints.length > 0 && wasRun
}

/** The user agrees, and names what the memory is about. */
function isConfirmed({ wanted }: Advice, events: readonly EpisodeEvent[]): boolean {
  return events.some(
    ({ role, kind, accepts, summary }) =>
      role === "user" &&
      kind === "message" &&
      accepts === true &&
      wanted.some((name) => summary.toLowerCase().includes(name)),
  )
}

/** Events before the context was injected do not count. */
function eventsSince({ task, ts }: RecordedTask, { events }: Episode): readonly EpisodeEvent[] {
  const at = events.findIndex(({ contexts }) => contexts?.includes(task))
  return at === -1 ? events.filter((event) => event.ts === "" || event.ts >= ts) : events.slice(at)
}

/** What happened in a task where a memory was injected. */
export type Trial = {
  /** The memory was tested: a situation occurred to which it applies. */
  exposed: boolean
  /** The user said the opposite of it. */
  contradicted: boolean
  /** Its mistake happened, the user had to repeat it, or the command that it recommends failed. */
  failed: boolean
  /** It was seen to hold: its command passed, the known error did not come back, the user agreed. */
  shown: boolean
  /** The assistant cited it, or it was reported as helpful. */
  credited: boolean
  errors: number
  retries: number
  testsFailed: boolean
  /** The number of injected memories; they share the credit. */
  injected: number
}

export type UseVerdict = { hit: boolean; miss: boolean; regretSaved: number; netRegret: number }

/**
 * The outcome of one use of an injected memory. A hit needs positive evidence, and no more errors than the project has
 * without memories; without such a baseline yet, passing tests, and nothing is credited.
 */
export function judgeUse(trial: Trial, baseline: Baseline, policy: Policy): UseVerdict {
  const { exposed, contradicted, failed, shown, credited } = trial
  const hasBaseline = baseline.episodes >= policy.baseline.min_episodes
  const wentWell = hasBaseline ? trial.errors <= baseline.errors : !trial.testsFailed
  const hit = !failed && !contradicted && (credited || (exposed && shown && wentWell))
  const miss = contradicted || (exposed && failed)
  if (!exposed || !hasBaseline) return { hit, miss, regretSaved: 0, netRegret: 0 }
  const { alpha_errors, beta_retries } = policy.regret_weights
  const errors = alpha_errors * (baseline.errors - trial.errors)
  const retries = beta_retries * (baseline.retries - trial.retries)
  return {
    hit,
    miss,
    regretSaved: (Math.max(0, errors) + Math.max(0, retries)) / trial.injected,
    netRegret: (errors + retries) / trial.injected,
  }
}

/**
 * Whether a memory was tested: part of its trigger occurred again. Preferences and invariants have no single trigger;
 * they are tested by work on their subject: by the words of the task, their key, or the files.
 */
function isExposed(
  memory: Memory,
  events: readonly EpisodeEvent[],
  { isAbout }: { isAbout(memory: Memory): boolean },
): boolean {
  if (memory.kind === "preference" || memory.kind === "invariant")
    return events.some(isWork) && (isAbout(memory) || events.some(({ file }) => touches(memory, file)))
  const { tools, heads, paths, fingerprints } = memory.trigger
  // A tool's name alone, such as the shell's, occurs in every episode: it counts only without a more specific trigger.
  const isVague = heads.length + paths.length + fingerprints.length === 0
  return events.some(
    ({ tool_name, head, file, fingerprint }) =>
      (fingerprint !== undefined && fingerprints.includes(fingerprint)) ||
      (head !== undefined && heads.includes(head)) ||
      (file !== undefined && paths.includes(file)) ||
      (isVague && tool_name !== undefined && tools.includes(tool_name)),
  )
}

function touches({ trigger, pathPrefix }: Memory, file: string | undefined): boolean {
  if (file === undefined) return false
  return trigger.paths.includes(file) || (pathPrefix !== undefined && file.startsWith(`${pathPrefix}/`))
}

function isWork({ action }: EpisodeEvent): boolean {
  return action === "edit" || action === "run"
}

/** The error it was learned from occurred again. */
function hasRecurred({ trigger }: Memory, events: readonly EpisodeEvent[]): boolean {
  return events.some(
    ({ is_error, fingerprint }) =>
      is_error === true && fingerprint !== undefined && trigger.fingerprints.includes(fingerprint),
  )
}

const sameWords = 0.8

/** The user had to repeat what the memory says. */
function isCorrected(events: readonly EpisodeEvent[], likenessTo: (text: string) => number): boolean {
  return events.some(
    ({ role, opener, statement, raw_snippet, summary }) =>
      role === "user" &&
      (opener === "correction" || statement !== undefined) &&
      likenessTo(raw_snippet ?? summary) >= sameWords,
  )
}

/** The assistant cited it by handle. */
function isCited({ id }: Memory, events: readonly EpisodeEvent[]): boolean {
  return events.some(({ role, cites }) => role === "assistant" && cites?.includes(handleOf(id)) === true)
}
