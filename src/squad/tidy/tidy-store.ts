import { DreyError } from "../../errors.ts"
import type { AuditRecord } from "../../governance/audit-chain.ts"
import { type ArchiveOptions, archiveDecisions } from "../archive/archive-decisions.ts"
import { summarizeHistories } from "../archive/summarize-histories.ts"
import { applyChange, type FileChange, type Move, withStore } from "../change.ts"
import { requireStore, type Store, type StoreFolder } from "../find-store.ts"
import { writeAudit } from "../merge/audit-merge.ts"
import { type MergeOptions, type MergeReport, mergeInbox } from "../merge/merge-inbox.ts"
import { type AgentLoad, agentLoads, type Metrics, measure, sizesAfter, sizesOf } from "./measure.ts"
import { tidyLogs } from "./tidy-logs.ts"
import { type Action, startWork } from "./work.ts"

/** One maintenance step; a command is a list of steps. */
export type TidyStep =
  | ({ kind: "merge" } & MergeOptions)
  | ({ kind: "archive" } & ArchiveOptions)
  | { kind: "summarize"; historyBytes: number }
  | { kind: "logs"; prune: boolean }

/** The result of a command, or of its dry run; paths are relative to the repository. */
export type TidyResult = MergeReport & {
  before: Metrics
  after: Metrics
  actions: Action[]
  /** What was skipped, and why. */
  notes: string[]
  /** Requested changes that could not be made safely. */
  refused: string[]
  agents: AgentLoad[]
}

/** Runs the steps on the team folder as one change that `undo` can revert. An older `.ai-team` beside `.squad` is read-only. */
export async function tidyStore(
  store: Store,
  command: string,
  steps: readonly TidyStep[],
  now: Date,
  options: { dryRun: boolean },
): Promise<TidyResult> {
  const [folder, older] = requireStore(store).folders
  if (!folder) throw new Error("A store without a folder has nothing to tidy.")
  const tidy = () => {
    const plan = planTidy(store, folder, steps, now)
    if (!options.dryRun) {
      applyChange(folder, command, plan.changes, now, { moves: plan.moves })
      writeAudit(folder, plan.audit)
    }
    return plan.result
  }
  const result = options.dryRun ? tidy() : await withStore(folder, tidy)
  const notes = older ? [`${older.name} was not changed, because Drey only writes to ${folder.name}.`] : []
  return { ...result, notes: [...result.notes, ...notes] }
}

/** Plans the steps for one folder. Nothing is written. */
export function planTidy(
  store: Store,
  folder: StoreFolder,
  steps: readonly TidyStep[],
  now: Date,
): { changes: FileChange[]; moves: Move[]; audit: AuditRecord[]; result: TidyResult } {
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
      if (!work.refused.includes(error.message)) work.refused.push(error.message) // an unreadable file only stops the step that needs it
    }
  }
  const changes = work.draft.changes()
  const moves = work.draft.moves()
  const before = sizesOf(folder)
  const after = sizesAfter(before, changes, moves)
  const below = (path: string) => `${folder.name}/${path}`
  const inRepository = (sentence: string) =>
    sentence.startsWith(folder.path) ? below(sentence.slice(folder.path.length + 1)) : below(sentence)
  const result: TidyResult = {
    ...merge,
    duplicates: merge.duplicates.map(({ path, of }) => ({ path: below(path), of })),
    quarantined: merge.quarantined.map(({ path, to, lines }) => ({ path: below(path), to: below(to), lines })),
    left: merge.left.map(({ path, why, ...rest }) => ({
      ...{ path: below(path), why: why.replaceAll(`${folder.path}/`, below("")) },
      ...rest,
    })),
    before: measure(before),
    after: measure(after),
    actions: work.actions.map((action) => ({ ...action, target: below(action.target) })),
    notes: work.notes.map(inRepository),
    refused: work.refused.map(inRepository),
    agents: agentLoads(before, after),
  }
  return { changes, moves, audit: work.audit, result }
}
