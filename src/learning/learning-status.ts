import { DreyError } from "../errors.ts"
import type { Check } from "../formats/check.ts"
import type { Baseline, StoreCounts, TaskComparison } from "../memories/learned-store.ts"
import type { Memory } from "../memories/memory.ts"
import { type MemoryExplanation, outlookOf, type Review, reviewOf } from "../memories/review/outlook.ts"
import type { Learning } from "./learning.ts"
import { isCopy, type LearningParts, type LearningProject } from "./learning-parts.ts"
import type { LearningPause } from "./pause.ts"

/** The state of learning in a project. */
export type LearningStatus = {
  project: LearningProject
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
  pause: LearningPause | undefined
  /** The latest activity of each client. */
  clients: { id: string; name: string; maturity: string; transcripts: number }[]
}

const mostShown = 5

export async function readStatus(
  parts: LearningParts,
  project: LearningProject,
  gitFolder?: string,
): Promise<LearningStatus> {
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

export async function explainMemory(
  parts: LearningParts,
  project: LearningProject,
  memory: Memory,
): Promise<MemoryExplanation> {
  const { store, policyFor, now } = parts
  const history = await store.history(memory.id)
  const outlook = isCopy(parts, memory)
    ? ["the team server evaluates it by its use across all members"]
    : outlookOf(memory, policyFor(project.root, memory), now().toISOString())
  return { memory, ...history, outlook }
}

/** Whether memory reduces errors; `tasks` counts those with memory. */
export async function compareTasks(
  { store, policyOf }: LearningParts,
  { id, root }: LearningProject,
): Promise<TaskComparison> {
  const { window, min_episodes } = policyOf(root).baseline
  const without = await store.baseline(id, window)
  const having = await store.record(id, window)
  const meanOf = ({ episodes, errors }: typeof without) =>
    episodes < min_episodes ? null : Math.round(errors * 100) / 100
  return { withMemory: meanOf(having), withoutMemory: meanOf(without), tasks: having.episodes }
}

/** Checks that learned memory can be read, and lists what needs attention. */
export async function checkLearning(learning: Learning): Promise<Check[]> {
  const name = "learned memory"
  try {
    const { counts, review, pause, writerProblem } = await learning.status()
    const { active, provisional } = counts.memories
    const known = `${active} memories proven, ${provisional} on trial.`
    const problems = [
      ...(counts.episodes.parked > 0
        ? [`${counts.episodes.parked} episodes are parked because the writer failed; retry with "drey ingest --retry".`]
        : []),
      ...(writerProblem === undefined ? [] : [`The writer cannot be used: ${writerProblem.replace(/\.$/, "")}.`]),
      ...(pause ? ['Learning is paused; resume it with "drey learn on".'] : []),
    ]
    const look = review.length > 0 ? [`${review.length} to review: "drey status --review".`] : []
    return [{ name, status: problems.length > 0 ? "warn" : "pass", message: [known, ...problems, ...look].join(" ") }]
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return [{ name, status: "fail", message: [error.message, error.hint].filter(Boolean).join(" ") }]
  }
}
