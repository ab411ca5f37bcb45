import { builtInPolicy } from "../../src/formats/policy.ts"
import type { Baseline } from "../../src/memories/learned-store.ts"
import type { Memory } from "../../src/memories/memory.ts"
import { testMemory } from "../../src/memories/review/test-memory.ts"
import type { Arm } from "./arms.ts"
import type { Rank } from "./ranks.ts"
import { drawTasks, patterns, playTask, type Subject, type Task, type Worth, world, worths } from "./simulated-world.ts"

/** How one arm did with one seed. */
export type Run = {
  /** Shares of the memories of each worth: their final state, and whether they were ever promoted. */
  shares: Record<Worth, { promoted: number; ended: number; onTrial: number; everPromoted: number }>
  /** Errors a task, for each tenth of the time. */
  errors: number[]
}

type Inhabitant = { worth: Worth; memory: Memory; wasPromoted: boolean }
type Episode = { errors: number; retries: number; isHoldout: boolean }

const start = Date.parse("2026-01-01T00:00:00Z")
const hour = 3_600_000

/** Plays all tasks, an hour apart, with one way to choose and one way to decide. */
export function simulate(seed: number, rank: Rank, arm: Arm, subject: Subject = patterns): Run {
  const inhabitants = settle(subject)
  const memories = inhabitants.map(({ memory }) => memory)
  const episodes: Episode[] = []
  const averages = openAverages()
  for (const [index, task] of drawTasks(seed).entries()) {
    const now = new Date(start + (index + 1) * hour).toISOString()
    const episode = playOne(task, { index, now, inhabitants, subject, averages, rank, arm })
    averages.add(episode)
    episodes.push(episode)
    if ((index + 1) % builtInPolicy.evaluate.every_episodes !== 0) continue
    arm.decide(memories, { task: index, now })
    for (const inhabitant of inhabitants) inhabitant.wasPromoted ||= inhabitant.memory.status === "active"
  }
  return { shares: sharesOf(inhabitants), errors: errorsByTenth(episodes) }
}

function settle({ kind }: Subject): Inhabitant[] {
  const all = worths.flatMap((worth) => Array.from({ length: world.memories[worth] }, () => worth))
  return all.map((worth, index) => ({
    worth,
    wasPromoted: false,
    // What an agent inferred, with no end of its own.
    memory: testMemory(`m-${String(index).padStart(16, "0")}`, { kind, created: new Date(start).toISOString() }),
  }))
}

type Moment = {
  index: number
  now: string
  inhabitants: readonly Inhabitant[]
  subject: Subject
  averages: Averages
  rank: Rank
  arm: Arm
}

function playOne(task: Task, { index, now, inhabitants, subject, averages, rank, arm }: Moment): Episode {
  const relevant = task.chances.flatMap((chance) => {
    const inhabitant = inhabitants[chance.memory]
    return inhabitant && inhabitant.memory.status !== "deprecated" ? [{ ...chance, ...inhabitant }] : []
  })
  const injected = task.isHoldout
    ? []
    : relevant
        .filter(({ worth }) => worth !== "crowded-out")
        .map((each) => ({ ...each, score: rank.score(each.memory, each.worth, each.noise) }))
        .sort((one, other) => other.score - one.score)
        .slice(0, world.fitting)
        .map((each) => ({ ...each, exposed: each.exposure < subject.exposure }))
  const outcome = playTask(
    task,
    injected.filter(({ exposed }) => exposed).map(({ worth }) => worth),
  )
  arm.note({
    task: index,
    now,
    relevant: relevant.map(({ memory }) => memory),
    injected: injected.map(({ memory, worth, exposed, recurrence, shown, blame }) => ({
      memory,
      exposed,
      recurred: exposed && recurrence < subject.recurrence[worth],
      shown: exposed && shown < subject.shown[worth],
      contradicted: exposed && outcome.corrected && (worth === "harmful" || blame < world.mistaken),
    })),
    isAsked: !task.isHoldout,
    ...outcome,
    baseline: averages.baseline(),
    overall: averages.overall(),
  })
  return { ...outcome, isHoldout: task.isHoldout }
}

type Averages = { add(episode: Episode): void; baseline(): Baseline; overall(): Baseline }

function openAverages(): Averages {
  const total = { episodes: 0, errors: 0, retries: 0 }
  const holdouts: Episode[] = []
  return {
    add(episode) {
      total.episodes++
      total.errors += episode.errors
      total.retries += episode.retries
      if (episode.isHoldout) holdouts.push(episode)
      if (holdouts.length > builtInPolicy.baseline.window) holdouts.shift()
    },
    baseline: () => meanOf(holdouts),
    overall: () => ({
      episodes: total.episodes,
      errors: total.errors / Math.max(1, total.episodes),
      retries: total.retries / Math.max(1, total.episodes),
    }),
  }
}

function meanOf(episodes: readonly Episode[]): Baseline {
  const mean = (values: number[]) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    episodes: episodes.length,
    errors: mean(episodes.map(({ errors }) => errors)),
    retries: mean(episodes.map(({ retries }) => retries)),
  }
}

function sharesOf(inhabitants: readonly Inhabitant[]): Run["shares"] {
  const shares = worths.map((worth) => {
    const own = inhabitants.filter((each) => each.worth === worth)
    const share = (holds: (each: Inhabitant) => boolean) => own.filter(holds).length / own.length
    return [
      worth,
      {
        promoted: share(({ memory }) => memory.status === "active"),
        ended: share(({ memory }) => memory.status === "deprecated"),
        onTrial: share(({ memory }) => memory.status === "provisional"),
        everPromoted: share(({ wasPromoted }) => wasPromoted),
      },
    ]
  })
  return Object.fromEntries(shares)
}

function errorsByTenth(episodes: readonly Episode[]): number[] {
  const size = episodes.length / 10
  return Array.from({ length: 10 }, (_, tenth) => {
    return meanOf(episodes.slice(tenth * size, (tenth + 1) * size)).errors
  })
}
