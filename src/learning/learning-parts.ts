import type { Client, Machine } from "../clients/client.ts"
import type { Policy } from "../formats/policy.ts"
import type { LearnedStore } from "../store/learned-store.ts"
import type { Memory, OwnerType } from "../store/memory.ts"
import type { Writer } from "../writer/writer.ts"
import type { Pause } from "./pause.ts"

/** What learning works with; whoever opens it hands everything in. */
export type LearningParts = {
  store: LearnedStore
  /** The id of the project at a root, as the settings there and the user's have it; without it, as its files alone have it. */
  identify?(root: string): string
  clients: readonly Client[]
  machine: Machine
  /** Opened when the first episode needs it: a model's packages take their time to load. */
  writer(): Promise<Writer>
  /** The policy in force for a project, by its root. */
  policyOf(root: string): Policy
  /** The policy by which a memory is judged there: a project's own file has no say over what holds in every project. */
  policyFor(root: string, memory: Pick<Memory, "scope">): Policy
  /** The pause that holds for a project, by its id. */
  pauseOf(project: string): Pause | undefined
  /** How near two texts are by meaning; undefined without vectors. */
  likeness: ((one: string, other: string) => number) | undefined
  /** Whose memories these are: a user's, unless it says otherwise. */
  owner: string
  ownerType?: OwnerType
  now: () => Date
  /** Drey's own folder. */
  home: string
  /** Held while transcripts are read and episodes learned from: one process per user at a time. */
  lockPath: string
  warn: (message: string) => void
}

export type Project = { id: string; root: string }
