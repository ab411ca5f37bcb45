import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { readTextFile } from "../../disk/read-text-file.ts"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { ReadContext } from "../../formats/read-entries.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { findStore, type Store } from "../find-store.ts"
import { readRoster } from "../list-files.ts"
import { mergeEntries, type ThreeTexts } from "./merge-entries.ts"
import { mergeAudit, mergeIndex } from "./merge-records.ts"

/** The three versions that git passes to a merge driver, and the path of the merged file in the repository. */
export type MergeRequest = { ancestor: string; ours: string; theirs: string; path: string }

/** Merges one file of a team folder for git; the result replaces `ours`, which is unchanged if the merge fails. */
export function mergeForGit(request: MergeRequest, store: Store): void {
  try {
    const [base, ours, theirs] = [request.ancestor, request.ours, request.theirs].map((path) => readTextFile(path).text)
    const texts = { base, ours, theirs } as ThreeTexts
    writeFileAtomic(request.ours, alreadyStored(mergeTexts(texts, request.path, store)))
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    // git only needs to know that the file was not merged.
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    throw new DreyError(`${request.path} was not merged: ${error.message}`, {
      ...hint,
      cause: error,
      exitCode: exitCode.no,
    })
  }
}

function mergeTexts(texts: ThreeTexts, path: string, store: Store): string {
  const name = basename(path)
  if (name === "index.json") return mergeIndex(texts)
  if (/^audit.*\.jsonl$/.test(name)) return mergeAudit(texts)
  if (/\.md$/i.test(name)) return mergeEntries(texts, contextOfPath(path, store))
  throw new DreyError(`Drey does not merge ${path}`, {
    hint: "Drey merges decisions, histories, archives, memory/index.json and memory/audit.jsonl.",
  })
}

function contextOfPath(path: string, { root, home }: Store): ReadContext {
  const fileName = basename(path)
  const folder = join(root, dirname(path))
  const roster = readRoster(findStore(existsSync(folder) ? folder : root, home))
  if (/^history.*\.md$/i.test(fileName)) return { kind: "history", fileName, agent: basename(dirname(path)), roster }
  if (path.includes("decisions/inbox/")) return { kind: "inbox", fileName, roster }
  return { kind: /archive/i.test(path) ? "archive" : "decisions", fileName, roster }
}
