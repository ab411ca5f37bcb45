import type { IndexStore } from "../index/index-store.ts"
import type { Store } from "../squad/find-store.ts"
import { isUpToDate } from "./is-up-to-date.ts"
import type { LearnedSource } from "./learned-source.ts"
import { listOrigins, type Origins } from "./list-origins.ts"
import { withoutSessions } from "./list-session-files.ts"
import { type Trouble, troubleIn } from "./trouble.ts"

/** Files may keep changing; an answer that misses one is better than none. */
const mostRounds = 5

/** The sources of an index. */
type Sources = {
  store: Store
  /** The folder of the sessions; without it, indexed session notes are left unchanged. */
  sessions?: string | undefined
  /** Called in every round: the first memory may be learned in the meantime. */
  learned: (() => LearnedSource | undefined) | undefined
  /** Called with the number of files checked before each file that has to be read. */
  progress?: ((done: number, total: number) => void) | undefined
}

/** Brings the index up to date with its sources. Files with an unchanged stat are not read. */
export async function bringUpToDate(index: IndexStore, sources: Sources, now: () => Date): Promise<Trouble> {
  const { store, sessions, progress } = sources
  const stamps = async () => (sessions === undefined ? withoutSessions(await index.origins()) : index.origins())
  for (let round = 1; ; round++) {
    const known = await stamps() // before listing the files: otherwise items added by another process in between would be dropped
    const origins = listOrigins(store, sessions)
    const learned = sources.learned?.()
    if (isUpToDate(origins, known, await learned?.stamp())) {
      if (await index.isBehind()) await index.update([])
      return troubleIn(known)
    }
    const { readChanges } = await import("./read-changes.ts") // pulls in the entry parsers
    const { changed, restamped, gone } = await readChanges(store, origins, learned, known, now, progress)
    if (restamped.length > 0) await index.restamp(restamped, known)
    const isSure = round === mostRounds || isStill(origins, listOrigins(store, sessions))
    const taken = isSure ? changed : changed.filter(({ key }) => !known.has(key)) // drops nothing
    const dropped = isSure ? gone : []
    const isOvertaken =
      taken.length + dropped.length > 0 && (await index.update(taken, dropped, known)).overtaken.length > 0
    if (isSure && !isOvertaken) return troubleIn(await stamps())
  }
}

/**
 * An entry moved between files while they are read may be missed in both, so nothing is dropped until all files are
 * stable.
 */
function isStill(before: Origins, after: Origins): boolean {
  const looks = ({ files }: Origins) => files.map(({ key, look }) => `${key} ${look.text}`).join("\n")
  return looks(before) === looks(after)
}
