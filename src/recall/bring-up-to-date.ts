import type { IndexStore } from "../index/index-store.ts"
import type { Store } from "../squad/find-store.ts"
import { isUpToDate } from "./is-up-to-date.ts"
import type { LearnedSource } from "./learned-source.ts"
import { listOrigins } from "./list-origins.ts"
import { withoutSessions } from "./list-session-files.ts"
import { type Trouble, troubleIn } from "./trouble.ts"

/** Somebody may make and remove files without end; an answer that misses one of them is better than none. */
const mostRounds = 5

/** What an index is made from. */
type Sources = {
  store: Store
  /** The folder of the sessions; without it, what is known of their notes stays as it is. */
  sessions?: string | undefined
  learned: LearnedSource | undefined
  /** Told how many files were looked at, before each that has to be read. */
  progress?: ((done: number, total: number) => void) | undefined
}

/** Brings the index up to date with its sources. While nothing has changed, no file is read: the file system's word is enough. */
export async function bringUpToDate(index: IndexStore, sources: Sources, now: () => Date): Promise<Trouble> {
  const { store, sessions, learned, progress } = sources
  const stamps = async () => (sessions === undefined ? withoutSessions(await index.origins()) : index.origins())
  for (let round = 1; ; round++) {
    const origins = listOrigins(store, sessions)
    const known = await stamps()
    const learnedStamp = await learned?.stamp()
    if (isUpToDate(origins, known, learnedStamp)) {
      if (await index.isBehind()) await index.update([])
      return troubleIn(known)
    }
    const { readChanges } = await import("./read-changes.ts") // brings all that reads entries with it
    const { changed, restamped, gone, vanished } = await readChanges(store, origins, learned, known, now, progress)
    if (restamped.length > 0) await index.restamp(restamped, known)
    const lookAgain = vanished && round < mostRounds
    if (changed.length + gone.length === 0 && !lookAgain) return troubleIn(known)
    const { overtaken } = await index.update(changed, gone, known)
    if (overtaken.length === 0 && !lookAgain) return troubleIn(await stamps())
  }
}
