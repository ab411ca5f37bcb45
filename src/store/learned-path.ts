import { join } from "node:path"

/** Where a user's learned memory is kept, below Drey's own folder. */
export function learnedPath(home: string): string {
  return join(home, "drey.db")
}
