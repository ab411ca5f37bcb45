import { type BigIntStats, lstatSync, statSync } from "node:fs"
import { codeOf, fileError } from "../disk/file-error.ts"

/** What the file system says of a file; `changedMs` is the later of its two times. */
export type FileLook = { text: string; changedMs: number; bytes: number }

/** Size, both times and the inode: an edit changes one of them, unless it falls into the same tick of the clock. */
export function lookAt(path: string): FileLook | undefined {
  try {
    const status: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false })
    return status?.isFile() ? toLook(status) : undefined
  } catch (error) {
    if (codeOf(error) === "ELOOP") return undefined // a link back to itself is no file
    throw fileError(path, error)
  }
}

/** The same of whatever has this name, without following it. */
export function lookAtName(path: string): FileLook | undefined {
  const status = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return status && toLook(status)
}

/** The same of a file itself: none where a link has its name. */
export function lookAtPlainFile(path: string): FileLook | undefined {
  const status = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return status?.isFile() ? toLook(status) : undefined
}

function toLook({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileLook {
  const changedMs = Math.max(Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n))
  return { text: `${size} ${mtimeNs} ${ctimeNs} ${ino}`, changedMs, bytes: Number(size) }
}
