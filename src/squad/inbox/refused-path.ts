import { posix } from "node:path"

/** Where a rejected inbox file is kept: in a dot folder, which is never read as entries. */
export function refusedPath(path: string): string {
  return posix.join(posix.dirname(path), ".refused", posix.basename(path))
}
