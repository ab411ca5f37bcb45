import type { Client, Machine } from "../clients/client.ts"
import { DreyError } from "../errors.ts"
import type { Policy } from "../formats/policy.ts"
import type { LearnedStore } from "../memories/learned-store.ts"
import type { Memory, OwnerType } from "../memories/memory.ts"
import type { Writer } from "../memories/writer.ts"
import type { LearningPause } from "./pause.ts"

/** The dependencies of learning, all passed in by the caller. */
export type LearningParts = {
  store: LearnedStore
  /** The id of the project at a root, by its settings and the user's; without it, by its files alone. */
  identify?(root: string): string
  clients: readonly Client[]
  machine: Machine
  /** Opened when the first episode needs it: a model's packages are slow to load. */
  writer(): Promise<Writer>
  /** The effective policy of a project, by its root. */
  policyOf(root: string): Policy
  /** The policy for one memory: a project's own file does not apply to global memories. */
  policyFor(root: string, memory: Pick<Memory, "scope">): Policy
  /** The active pause of a project, by its id. */
  pauseOf(project: string): LearningPause | undefined
  /** The similarity of two texts; undefined without vectors. */
  likeness: ((one: string, other: string) => number) | undefined
  /** The owner of the memories: a user, unless set otherwise. */
  owner: string
  ownerType?: OwnerType
  now: () => Date
  /** Drey's home folder. */
  home: string
  /** Held while reading transcripts and learning: one process per user at a time. */
  lockPath: string
  warn: (message: string) => void
}

export type LearningProject = { id: string; root: string }

/**
 * Whether a memory is a copy of a team memory, which only the server evaluates and changes. Never true on the server
 * itself.
 */
export function isCopy(
  { ownerType = "user" }: Pick<LearningParts, "ownerType">,
  { owner, contributedBy }: Pick<Memory, "owner" | "contributedBy">,
): boolean {
  return ownerType === "user" && owner.type !== "user" && contributedBy !== undefined
}

/** Why it cannot be changed here. */
export const whyCopy = "it is a team memory: the member who shared it can unshare it, and the team's app can change it"

/** A project that is not learned from until the user fixes an error in it. */
export type UnreadableProject = { project: LearningProject; error: DreyError }

/** Splits projects by whether their policy can be read: an error in one must not stop learning in the others. */
export function partByPolicy(
  { policyOf }: Pick<LearningParts, "policyOf">,
  projects: readonly LearningProject[],
): { readable: LearningProject[]; troubled: UnreadableProject[] } {
  const readable: LearningProject[] = []
  const troubled: UnreadableProject[] = []
  for (const project of projects) {
    try {
      policyOf(project.root)
      readable.push(project)
    } catch (error) {
      troubled.push({ project, error: requireDreyError(error) })
    }
  }
  return { readable, troubled }
}

/** Returns an error that the user can fix; a bug is thrown again. */
export function requireDreyError(error: unknown): DreyError {
  if (error instanceof DreyError) return error
  throw error
}

export type PausedProject = { project: LearningProject; pause: LearningPause }

/** Splits projects into those to learn from and those the user has paused. */
export function partByPause(
  { pauseOf }: Pick<LearningParts, "pauseOf">,
  projects: readonly LearningProject[],
): { awake: LearningProject[]; paused: PausedProject[] } {
  const looked = projects.map((project) => ({ project, pause: pauseOf(project.id) }))
  return {
    awake: looked.filter(({ pause }) => !pause).map(({ project }) => project),
    paused: looked.flatMap(({ project, pause }) => (pause ? [{ project, pause }] : [])),
  }
}
