import { closeSync, constants, openSync, readSync } from "node:fs"

const beginningBytes = 64 * 1024

/** The first 64 KB of a file as text; undefined if it cannot be read. */
export function readBeginning(path: string): string | undefined {
  let handle: number | undefined
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // opening a pipe must not wait for its writer
    const bytes = Buffer.alloc(beginningBytes)
    return bytes.toString("utf8", 0, readSync(handle, bytes, 0, beginningBytes, 0))
  } catch {
    return undefined // missing, a folder, or not accessible: not a transcript
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
