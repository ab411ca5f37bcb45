import type { Client, Machine } from "../clients/client.ts"
import type { Policy } from "../formats/policy.ts"
import type { LearnedStore } from "../store/learned-store.ts"
import type { Memory, OwnerType } from "../store/memory.ts"
import type { Writer } from "../writer/writer.ts"
import type { Pause } from "./pause.ts"

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
  pauseOf(project: string): Pause | undefined
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

export type Project = { id: string; root: string }
