import { statSync } from "node:fs"
import { join } from "node:path"
import { listFolder } from "../../disk/list-folder.ts"
import { DreyError } from "../../errors.ts"
import { parseLogName } from "../../formats/log-name.ts"
import { instantOf } from "../../formats/timestamp.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { isIgnoredByGit } from "../git/git-questions.ts"
import { bytesOf, type Work } from "./work.ts"

const week = 7 * 86_400_000
const logFolders = ["log", "orchestration-log"]

/** Plans moving logs older than a week to an archive folder, or deleting them with `prune`. */
export function tidyLogs(work: Work, options: { prune: boolean }): void {
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

function oldLogs({ draft, now }: Work, folder: string): string[] {
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

function freeName({ draft }: Work, folder: string, name: string): string {
  for (let number = 1; ; number++) {
    const path = `${folder}/${number === 1 ? name : name.replace(/(\.[^.]*)?$/, `-${number}$1`)}`
    if (draft.text(path) === null) return path
  }
}
