import { seededRandom } from "../recall/seeded-random.ts"

/** What a memory is worth, which only the world knows. Crowded-out: relevant, but always below the budget. */
export const worths = ["useful", "useless", "harmful", "crowded-out"] as const
export type Worth = (typeof worths)[number]

/** One project with memories and tasks, one episode each. */
export const world = {
  memories: { useful: 120, useless: 160, harmful: 40, "crowded-out": 80 },
  tasks: 2000,
  /** Memories that a task is relevant to, drawn at random, and how many of them fit into its context. */
  relevant: 8,
  fitting: 3,
  /** Tasks without any memory, which make the baseline. */
  holdout: 0.1,
  errors: 2,
  retries: 1,
  /** By what an exposed memory multiplies errors and retries. */
  effect: { useful: 0.4, useless: 1, harmful: 1.8, "crowded-out": 1 },
  /** How often the user corrects something, and how often after a harmful memory. */
  correction: 0.1,
  correctionAfterHarm: 0.5,
  /** Whom the user means by a correction: the harmful memories that were exposed, and by mistake any other exposed one. */
  mistaken: 0.02,
}

/** What the memories of a world are: all of one kind, since each kind has rules of its own. */
export type Subject = {
  kind: "pattern" | "invariant" | "preference"
  /** How often an injected memory is put to the test. */
  exposure: number
  /** How often the error it was learned from comes back when it is exposed. */
  recurrence: Record<Worth, number>
  /** How often an exposed memory is seen to hold: its command passes, the error stays away, the user agrees. */
  shown: Record<Worth, number>
}

export const patterns: Subject = {
  kind: "pattern",
  exposure: 0.5,
  recurrence: { useful: 0.15, useless: 0.3, harmful: 0.7, "crowded-out": 0 },
  shown: { useful: 1, useless: 1, harmful: 1, "crowded-out": 0 }, // its command is run whenever it is exposed
}

/**
 * What holds all the time is put to the test by any work on what it is about, and was learned from words: no error can
 * come back. That nothing contradicts it is no evidence; what it says has to be seen to hold.
 */
const never = { useful: 0, useless: 0, harmful: 0, "crowded-out": 0 }
const shown = { useful: 0.5, useless: 0.02, harmful: 0.1, "crowded-out": 0 }
export const standing: Subject[] = [
  { kind: "invariant", exposure: 1, recurrence: never, shown },
  { kind: "preference", exposure: 1, recurrence: never, shown },
]

/** Everything about a task that chance decides, drawn beforehand, so that all arms meet the same luck. */
export type Task = {
  isHoldout: boolean
  chances: { memory: number; noise: number; exposure: number; recurrence: number; shown: number; blame: number }[]
  errors: number
  retries: number
  correction: number
}

export function drawTasks(seed: number): Task[] {
  const random = seededRandom(seed * 7919)
  const size = Object.values(world.memories).reduce((sum, count) => sum + count, 0)
  return Array.from({ length: world.tasks }, () => {
    const drawn = new Set<number>()
    while (drawn.size < world.relevant) drawn.add(Math.floor(random() * size))
    return {
      isHoldout: random() < world.holdout,
      chances: [...drawn].map((memory) => ({
        memory,
        noise: normal(random),
        exposure: random(),
        recurrence: random(),
        shown: random(),
        blame: random(),
      })),
      errors: random(),
      retries: random(),
      correction: random(),
    }
  })
}

export type Outcome = { errors: number; retries: number; corrected: boolean }

/** How a task goes with these memories exposed in it. */
export function playTask(task: Task, exposed: readonly Worth[]): Outcome {
  const factor = exposed.reduce((product, worth) => product * world.effect[worth], 1)
  const correction = exposed.includes("harmful") ? world.correctionAfterHarm : world.correction
  return {
    errors: poisson(world.errors * factor, task.errors),
    retries: poisson(world.retries * factor, task.retries),
    corrected: task.correction < correction,
  }
}

/** The number below which this share of a Poisson distribution lies. */
function poisson(mean: number, share: number): number {
  let probability = Math.exp(-mean)
  let sum = probability
  let number = 0
  while (sum < share && number < 100) {
    number++
    probability *= mean / number
    sum += probability
  }
  return number
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
