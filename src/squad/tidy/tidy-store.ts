import { DreyError } from "../../errors.ts"
import { type ArchiveOptions, archiveDecisions } from "../archive/archive-decisions.ts"
import { summarizeHistories } from "../archive/summarize-histories.ts"
import { applyChange, type FileChange, withStore } from "../change.ts"
import type { Store, StoreFolder } from "../find-store.ts"
import { type MergeOptions, type MergeReport, mergeInbox } from "../merge/merge-inbox.ts"
import { type AgentLoad, addMetrics, agentLoads, type Metrics, measure, sizesAfter, sizesOf } from "./measure.ts"
import { tidyLogs } from "./tidy-logs.ts"
import { type Action, startWork } from "./work.ts"

/** One step of the Scribe's work; a command is a list of them. */
export type TidyStep =
  | ({ kind: "merge" } & MergeOptions)
  | ({ kind: "archive" } & ArchiveOptions)
  | { kind: "summarize"; historyBytes: number }
  | { kind: "logs"; prune: boolean }

/** What a command did, or on a dry run would do; paths are relative to the repository. */
export type TidyResult = MergeReport & {
  before: Metrics
  after: Metrics
  actions: Action[]
  /** What was left as it is, and why. */
  notes: string[]
  /** What was to be done and could not be done safely. */
  refused: string[]
  agents: AgentLoad[]
}

/** Runs the steps on every team folder of the store, each as one change that `undo` takes back. */
export async function tidyStore(
  store: Store,
  command: string,
  steps: readonly TidyStep[],
  now: Date,
  options: { dryRun: boolean },
): Promise<TidyResult> {
  const results: TidyResult[] = []
  for (const folder of store.folders) {
    const tidy = () => {
      const plan = planTidy(store, folder, steps, now)
      if (!options.dryRun) applyChange(folder, command, plan.changes, now)
      results.push(plan.result)
    }
    if (options.dryRun) tidy()
    else await withStore(folder, tidy)
  }
  return results.reduce(unite)
}

/** What the steps would do to one folder. Nothing is written. */
export function planTidy(
  store: Store,
  folder: StoreFolder,
  steps: readonly TidyStep[],
  now: Date,
): { changes: FileChange[]; result: TidyResult } {
  const work = startWork(store, folder, now)
  let merge: MergeReport = {
    merged: [],
    duplicates: [],
    quarantined: [],
    left: [],
    nearDuplicates: [],
    consolidated: [],
    told: [],
  }
  for (const step of steps) {
    try {
      if (step.kind === "merge") merge = mergeInbox(work, step)
      else if (step.kind === "archive") archiveDecisions(work, step)
      else if (step.kind === "summarize") summarizeHistories(work, step.historyBytes)
      else tidyLogs(work, step)
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      if (!work.refused.includes(error.message)) work.refused.push(error.message) // a file that cannot be read stops the step that needs it, and no other
    }
  }
  const changes = work.draft.changes()
  const before = sizesOf(folder)
  const after = sizesAfter(before, changes)
  const below = (path: string) => `${folder.name}/${path}`
  const inRepository = (sentence: string) =>
    sentence.startsWith(folder.path) ? below(sentence.slice(folder.path.length + 1)) : below(sentence)
  const result: TidyResult = {
    ...merge,
    duplicates: merge.duplicates.map(({ path, of }) => ({ path: below(path), of })),
    quarantined: merge.quarantined.map(({ path, to, lines }) => ({ path: below(path), to: below(to), lines })),
    left: merge.left.map(({ path, why }) => ({ path: below(path), why })),
    before: measure(before),
    after: measure(after),
    actions: work.actions.map((action) => ({ ...action, target: below(action.target) })),
    notes: work.notes.map(inRepository),
    refused: work.refused.map(inRepository),
    agents: agentLoads(before, after),
  }
  return { changes, result }
}

function unite(one: TidyResult, other: TidyResult): TidyResult {
  return {
    before: addMetrics(one.before, other.before),
    after: addMetrics(one.after, other.after),
    actions: [...one.actions, ...other.actions],
    notes: [...one.notes, ...other.notes],
    refused: [...one.refused, ...other.refused],
    agents: [...one.agents, ...other.agents],
    merged: [...one.merged, ...other.merged],
    duplicates: [...one.duplicates, ...other.duplicates],
    quarantined: [...one.quarantined, ...other.quarantined],
    left: [...one.left, ...other.left],
    nearDuplicates: [...one.nearDuplicates, ...other.nearDuplicates],
    consolidated: [...one.consolidated, ...other.consolidated],
    told: [...one.told, ...other.told],
  }
}
