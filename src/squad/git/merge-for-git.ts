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

/** The files git hands a merge driver, and the path in the repository that they are versions of. */
export type MergeRequest = { ancestor: string; ours: string; theirs: string; path: string }

/** Does git's merge of one file of a team folder; the result replaces `ours`, which stays untouched when it fails. */
export function mergeForGit(request: MergeRequest, store: Store): void {
  try {
    const [base, ours, theirs] = [request.ancestor, request.ours, request.theirs].map((path) => readTextFile(path).text)
    const texts = { base, ours, theirs } as ThreeTexts
    writeFileAtomic(request.ours, alreadyStored(mergeTexts(texts, request.path, store)))
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    // Git asks one question only; whatever went wrong, the answer is "not merged".
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
  throw new DreyError(`${path} is no file that Drey merges`, {
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
