import { statSync } from "node:fs"
import { join } from "node:path"
import { listFolder } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { parseLogName } from "../formats/legacy/dates.ts"
import { instantOf } from "../formats/timestamp.ts"
import type { AuditRecord } from "../governance/audit.ts"
import { alreadyStored } from "../governance/cleared.ts"
import type { OlderEntry } from "./archive/condensed-digest.ts"
import { type ArchiveOptions, archiveDecisions } from "./archive/decision-archive.ts"
import { type Condense, summarizeHistories } from "./archive/history-summary.ts"
import { applyChange, type FileChange, type FileMove, withStore } from "./change.ts"
import { bytesOf, type ChangePlan, startPlan, type TidyAction } from "./change-plan.ts"
import { isIgnoredByGit } from "./git/repository.ts"
import { type MergeOptions, type MergeReport, mergeInbox } from "./merge/inbox-merge.ts"
import { writeAudit } from "./merge/merged-records.ts"
import { type AgentLoad, agentLoads, measure, sizesAfter, sizesOf, type TidyMetrics } from "./sizes.ts"
import { requireStore, type StoreFolder, type TeamStore } from "./team-folder.ts"

/** One maintenance step; a command is a list of steps. */
export type TidyStep =
  | ({ kind: "merge" } & MergeOptions)
  | ({ kind: "archive" } & ArchiveOptions)
  | { kind: "summarize"; historyBytes: number; except?: ReadonlySet<string>; condense?: Condense }
  | { kind: "logs"; prune: boolean }

/** The result of a command, or of its dry run; paths are relative to the repository. */
export type TidyResult = MergeReport & {
  before: TidyMetrics
  after: TidyMetrics
  actions: TidyAction[]
  /** What was skipped, and why. */
  notes: string[]
  /** Requested changes that could not be made safely. */
  refused: string[]
  agents: AgentLoad[]
}

/** Runs the steps on the team folder as one change that `undo` can revert. An older `.ai-team` beside `.squad` is read-only. */
export async function tidyStore(
  store: TeamStore,
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

/** The older entries of each history that summarizing would put into its digest; nothing is written. */
export function listOlderEntries(
  store: TeamStore,
  folder: StoreFolder,
  step: Extract<TidyStep, { kind: "summarize" }>,
  now: Date,
): Map<string, OlderEntry[]> {
  const older = new Map<string, OlderEntry[]>()
  const condense: Condense = (path, entries) => {
    older.set(path, [...entries])
    return undefined
  }
  planTidy(store, folder, [{ ...step, condense }], now)
  return older
}

/** Plans the steps for one folder. Nothing is written. */
export function planTidy(
  store: TeamStore,
  folder: StoreFolder,
  steps: readonly TidyStep[],
  now: Date,
): { changes: FileChange[]; moves: FileMove[]; audit: AuditRecord[]; result: TidyResult } {
  const work = startPlan(store, folder, now)
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
      else if (step.kind === "summarize") summarizeHistories(work, step.historyBytes, step)
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

const week = 7 * 86_400_000
const logFolders = ["log", "orchestration-log"]

/** Plans moving logs older than a week to an archive folder, or deleting them with `prune`. */
function tidyLogs(work: ChangePlan, options: { prune: boolean }): void {
  for (const folder of logFolders) {
    const old = oldLogs(work, folder)
    if (old.length === 0) continue
    const archive = `${folder}/archive`
    // In an ignored archive the logs would be lost for the rest of the team.
    if (
      !options.prune &&
      isIgnoredByGit(work.draft.folder.path, `${archive}/x.md`) &&
      !isIgnoredByGit(work.draft.folder.path, `${folder}/x.md`)
    ) {
      work.refused.push(`${archive} is ignored by git, so no logs were moved.`)
      continue
    }
    let bytes = 0
    let moved = 0
    for (const name of old) {
      try {
        const text = work.draft.text(`${folder}/${name}`) ?? ""
        const target = freeName(work, archive, name)
        if (!options.prune) work.draft.put(target, alreadyStored(text))
        work.draft.put(`${folder}/${name}`, null)
        bytes += bytesOf(text)
        moved++
      } catch (error) {
        if (!(error instanceof DreyError)) throw error
        work.notes.push(error.message) // not text: leave it
      }
    }
    if (moved === 0) continue
    const logs = `${moved} ${moved === 1 ? "log" : "logs"} older than 7 days`
    work.actions.push(
      options.prune
        ? { type: "prune", target: folder, description: `${logs} deleted`, bytesSaved: bytes }
        : {
            type: "archive",
            target: folder,
            description: `${logs} to ${work.draft.folder.name}/${archive}`,
            bytesSaved: 0,
          },
    )
  }
}

function oldLogs({ draft, now }: ChangePlan, folder: string): string[] {
  const absolute = join(draft.folder.path, folder)
  return (listFolder(absolute) ?? [])
    .filter((item) => item.isFile() && !item.name.startsWith("."))
    .map(({ name }) => name)
    .filter((name) => timeOf(join(absolute, name), name) < now.getTime() - week)
    .sort()
}

function timeOf(path: string, name: string): number {
  const stated = parseLogName(name)
  return stated
    ? instantOf(stated.timestamp)
    : (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY)
}

function freeName({ draft }: ChangePlan, folder: string, name: string): string {
  for (let number = 1; ; number++) {
    const path = `${folder}/${number === 1 ? name : name.replace(/(\.[^.]*)?$/, `-${number}$1`)}`
    if (draft.text(path) === null) return path
  }
}
