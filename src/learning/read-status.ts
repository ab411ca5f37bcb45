import { DreyError } from "../errors.ts"
import type { Baseline, StoreCounts } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import { type Review, reviewOf } from "../upkeep/review.ts"
import { isCopy } from "./is-copy.ts"
import type { LearningParts, Project } from "./learning-parts.ts"
import type { Pause } from "./pause.ts"

/** The state of learning in a project. */
export type LearningStatus = {
  project: Project
  /** Former ids of this checkout, before its remote or name changed, with the number of memories stored there. */
  former: { id: string; memories: number }[]
  /** Its name; `none` when it cannot be opened. */
  writer: string
  writerProblem: string | undefined
  counts: StoreCounts
  baseline: Baseline
  /** Proven first, then by use. */
  best: Memory[]
  /** Memories to review. */
  review: Review[]
  /** Why nothing is read at the moment. */
  pause: Pause | undefined
  /** The latest activity of each client. */
  clients: { id: string; name: string; maturity: string; transcripts: number }[]
}

const mostShown = 5

export async function readStatus(parts: LearningParts, project: Project, gitFolder?: string): Promise<LearningStatus> {
  const { store, clients, machine, policyFor, now } = parts
  const policy = parts.policyOf(project.root)
  const memories = await store.memories({ project: project.id, statuses: ["provisional", "active"] })
  const rank = ({ status, metrics }: Memory) =>
    Number(status === "active") * 1000 + metrics.hits * 10 + metrics.useCount
  return {
    project,
    former: await store.formerProjects(project.id, project.root, gitFolder),
    ...(await nameWriter(parts)),
    counts: await store.counts(project.id, policy.writer.max_attempts),
    baseline: await store.baseline(project.id, policy.baseline.window),
    best: [...memories].sort((one, other) => rank(other) - rank(one)).slice(0, mostShown),
    review: memories
      .filter((memory) => !isCopy(parts, memory))
      .flatMap((memory) => reviewOf([memory], policyFor(project.root, memory), now().toISOString())),
    pause: parts.pauseOf(project.id),
    clients: clients.map((client) => ({
      id: client.id,
      name: client.name,
      maturity: client.maturity,
      transcripts: client.find(machine).length,
    })),
  }
}

/** A writer that cannot be opened is reported, and the rest of the status is still shown. */
async function nameWriter(parts: LearningParts): Promise<Pick<LearningStatus, "writer" | "writerProblem">> {
  try {
    return { writer: (await parts.writer()).id, writerProblem: undefined }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { writer: "none", writerProblem: [error.message, error.hint].filter(Boolean).join(". ") }
  }
}
