import { join } from "node:path"

/** The database of a user's learned memory, in Drey's home folder. */
export function learnedPath(home: string): string {
  return join(home, "drey.db")
}
