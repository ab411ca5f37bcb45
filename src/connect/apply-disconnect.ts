import { withLock } from "../disk/lock.ts"
import { removeFileDurable, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { DreyError } from "../errors.ts"
import { type FileResult, lockPath, removeEmptyFolders } from "./apply-connect.ts"
import { removeRecord, stateOf, writeRecord } from "./file-record.ts"
import type { DisconnectPlan, FileRestoration } from "./plan-disconnect.ts"
import { readBytes } from "./plan-file.ts"

/**
 * Applies a plan file by file. A record is removed only after its file is restored, so a killed run can be repeated.
 */
export function applyDisconnect(home: string, plan: DisconnectPlan): Promise<FileResult[]> {
  return withLock(lockPath(home), () => {
    const done = plan.files.filter(({ change }) => change !== "left")
    const results = done.map((file) => restoreFile(home, file))
    removeEmptyFolders(done.flatMap(({ writing }) => writing.folders))
    return results
  })
}

function restoreFile(home: string, { path, writing }: FileRestoration): FileResult {
  try {
    const { target } = writing
    if (stateOf(readBytes(target)) !== writing.state)
      return { path, problem: "it changed while Drey was writing; try again" }
    if (writing.isWritten && writing.bytes === undefined)
      removeFileDurable(target) // a link stays a link
    else if (writing.isWritten && writing.bytes) writeFileAtomic(target, writing.bytes)
    if (writing.record) writeRecord(home, writing.record)
    else removeRecord(home, path)
    return { path }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { path, problem: error.message } // the other files can still be restored
  }
}
