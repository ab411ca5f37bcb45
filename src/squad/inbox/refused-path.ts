import { posix } from "node:path"

/** Where a file of an inbox is kept once it was refused: beside it, where no reader looks. */
export function refusedPath(path: string): string {
  return posix.join(posix.dirname(path), ".refused", posix.basename(path))
}
