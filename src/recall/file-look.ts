import { type BigIntStats, lstatSync, statSync } from "node:fs"
import { codeOf, fileError } from "../disk/file-error.ts"
import { DreyError } from "../errors.ts"

/** A file's stat; `changedMs` is the later of its two times. */
export type FileLook = { text: string; changedMs: number; bytes: number }

/** Size, both times and the inode: an edit changes one of them, unless it happens within the same clock tick. */
export function lookAt(path: string): FileLook | undefined {
  const status = statusOf(path, statSync)
  return status !== "closed" && status?.isFile() ? toLook(status) : undefined
}

/** The same without following links; also for a name in an unreadable folder. */
export function lookAtName(path: string): FileLook | undefined {
  const status = statusOf(path, lstatSync)
  return status === "closed" ? { text: status, changedMs: 0, bytes: 0 } : status && toLook(status)
}

/** The same for regular files only, not links. */
export function lookAtPlainFile(path: string): FileLook | undefined {
  const status = statusOf(path, lstatSync)
  return status !== "closed" && status?.isFile() ? toLook(status) : undefined
}

/** Undefined if the path does not exist; only some versions of Node report a path component that is a file. */
function statusOf(path: string, look: typeof statSync): BigIntStats | "closed" | undefined {
  try {
    return look(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP") return undefined
    if (fileError(path, error) instanceof DreyError) return "closed"
    throw error
  }
}

function toLook({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileLook {
  const changedMs = Math.max(Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n))
  return { text: `${size} ${mtimeNs} ${ctimeNs} ${ino}`, changedMs, bytes: Number(size) }
}
