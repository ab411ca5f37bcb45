import type { Store } from "./find-store.ts"
import { linkFiles, type ReadFiles, readEntryFile, readFiles, type StoreFile, type StoreReading } from "./read-store.ts"

/** Reads a team folder. Returns the same object while nothing has changed. */
export type StoreReader = (store: Store, now: Date) => StoreReading

/** For long-running processes: a file is parsed again only if its text or the team's names changed. */
export function storeReader(): StoreReader {
  let known = new Map<string, StoreFile>()
  let names = ""
  let last: StoreReading | undefined
  return (store, now) => {
    const read = readFiles(store, now, {
      readFile: (file, roster) => {
        const team = [...roster.values()].join("\n")
        if (team !== names) known = new Map()
        names = team
        return readEntryFile(file, roster, now, known.get(file.path))
      },
    })
    known = new Map(read.files.map((file) => [file.path, file]))
    if (!last || !isSame(last, read)) last = linkFiles(read)
    return last
  }
}

function isSame(last: StoreReading, read: ReadFiles): boolean {
  return (
    last.files.length === read.files.length &&
    last.files.every((file, index) => file === read.files[index]) &&
    JSON.stringify(last.unreadable) === JSON.stringify(read.unreadable)
  )
}
