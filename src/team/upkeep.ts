import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { makeHomeFolder, writeInHome } from "../disk/home-files.ts"
import type { Condense } from "./archive/history-summary.ts"
import { applyChange, listChanges, withStore } from "./change.ts"
import { startPlan } from "./change-plan.ts"
import { gitOperation } from "./git/repository.ts"
import { stateFolder } from "./journal.ts"
import { writeAudit } from "./merge/merged-records.ts"
import { listInbox } from "./merge/proposals.ts"
import type { StoreFolder, TeamStore } from "./team-folder.ts"
import { planTidy } from "./team-tidy.ts"

/** What upkeep did. `waiting` are the inbox files that need review by the user. */
export type UpkeepOutcome =
  | { kind: "done"; files: string[]; waiting: string[] }
  | { kind: "nothing"; waiting: string[] }
  | { kind: "skipped"; why: string }

/** The command of its changes, in `drey undo --list` and `drey log`. */
const upkeepCommand = "upkeep"

/**
 * Merges what needs no person and condenses long histories, as one change that `undo` reverts. What the user undid is
 * not done again. Nothing is written while git is in the middle of an operation.
 */
export async function keepUp(
  folder: StoreFolder,
  store: TeamStore,
  { historyBytes, squadUi, condense }: { historyBytes: number; squadUi: boolean; condense?: Condense | undefined },
  now: Date,
): Promise<UpkeepOutcome> {
  const busy = (): UpkeepOutcome | undefined => {
    const operation = gitOperation(folder.path)
    return operation === undefined ? undefined : { kind: "skipped", why: `git has ${operation} in progress` }
  }
  const work = (): UpkeepOutcome => {
    const stop = busy()
    if (stop) return stop
    const undone = undoneUpkeep(folder)
    const inbox = listInbox(startPlan(store, folder, now).draft).filter((path) => !undone.has(path))
    const { changes, moves, audit, result } = planTidy(
      store,
      folder,
      [
        { kind: "merge", only: inbox, isAgent: true, squadUi },
        { kind: "summarize", historyBytes, except: undone, ...(condense && { condense }) },
      ],
      now,
    )
    const change = applyChange(folder, upkeepCommand, changes, now, { moves })
    if (change) writeAudit(folder, audit)
    const waiting = result.left.flatMap(({ path, waits }) => (waits ? [path] : []))
    noteWaiting(folder, waiting)
    return change ? { kind: "done", files: change.files, waiting } : { kind: "nothing", waiting }
  }
  return busy() ?? withStore(folder, work) // completing an interrupted change writes as well
}

/** The files of upkeep that the user undid. */
export function undoneUpkeep(folder: StoreFolder): ReadonlySet<string> {
  return new Set(listChanges(folder).flatMap((change) => (isUpkeep(change) && change.undone ? change.files : [])))
}

function isUpkeep({ command }: { command: string }): boolean {
  return command === upkeepCommand
}

export type UpkeepRecord = { at: number; text: string }

/** What upkeep did, newest first, without what the user undid. */
export function listUpkeep(store: TeamStore): UpkeepRecord[] {
  const changes = store.folders.flatMap((folder) => listChanges(folder))
  return changes
    .filter((change) => isUpkeep(change) && !change.undone)
    .map(({ createdAt, files }) => ({ at: Date.parse(createdAt), text: describeUpkeep(files) }))
    .sort((one, other) => other.at - one.at)
}

function describeUpkeep(files: readonly string[]): string {
  const inbox = files.filter((path) => path.includes("inbox/")).length
  const histories = files.filter((path) => path.endsWith("history-archive.md")).length
  const parts = [
    ...(inbox > 0 ? [`merged ${inbox} inbox ${inbox === 1 ? "file" : "files"}`] : []),
    ...(histories > 0 ? [`condensed ${histories} ${histories === 1 ? "history" : "histories"}`] : []),
  ]
  return parts.join(" and ") || `changed ${files.length} ${files.length === 1 ? "file" : "files"}`
}

const waitingShape = z.object({ waiting: z.array(z.string()), shown: z.array(z.string()) })

/** The number of proposals that need review, if the user was not shown all of them yet; 0 otherwise. */
export function takeUnshownProposals(folder: StoreFolder, root: string): number {
  const { waiting, shown } = readWaiting(folder)
  const still = waiting.filter((path) => existsSync(join(root, path)))
  if (still.every((path) => shown.includes(path))) return 0
  writeWaiting(folder, { waiting: still, shown: still })
  return still.length
}

function noteWaiting(folder: StoreFolder, waiting: readonly string[]): void {
  const { waiting: before, shown } = readWaiting(folder)
  if (waiting.join("\n") === before.join("\n")) return
  writeWaiting(folder, { waiting: [...waiting], shown: shown.filter((path) => waiting.includes(path)) })
}

/** Lost or unreadable, it only makes the user see the number again. */
function readWaiting(folder: StoreFolder): z.infer<typeof waitingShape> {
  try {
    return waitingShape.parse(JSON.parse(readFileSync(waitingPath(folder), "utf8")))
  } catch {
    return { waiting: [], shown: [] }
  }
}

function writeWaiting(folder: StoreFolder, state: z.infer<typeof waitingShape>): void {
  makeHomeFolder(dirname(waitingPath(folder)))
  writeInHome(waitingPath(folder), JSON.stringify(state))
}

function waitingPath(folder: StoreFolder): string {
  return join(stateFolder(folder), "waiting.json")
}
