import { readTextFile } from "../disk/read-text-file.ts"
import type { Roster } from "../formats/legacy/roster.ts"
import { readEntries } from "../formats/read-entries.ts"
import type { Store } from "./find-store.ts"
import { requireInRepository } from "./follow-links.ts"
import type { EntryFile } from "./list-files.ts"
import { contextOf, readStore, type StoreFile, type StoreReading } from "./read-store.ts"

/** Reads a store as it is now. The same reading comes back while nothing in it has changed. */
export type StoreReader = (store: Store, now: Date) => StoreReading

/** For a process that stays: a file is taken apart anew only when its text differs from the last time. */
export function storeReader(): StoreReader {
  let known = new Map<string, StoreFile & { names: string }>()
  let last: StoreReading | undefined
  return (store, now) => {
    const seen: typeof known = new Map()
    const readFile = (file: EntryFile, roster: Roster): StoreFile => {
      requireInRepository(file.folder, file.path.slice(file.folder.name.length + 1), file.path)
      const content = readTextFile(file.absolute, { name: file.path })
      const names = [...roster.values()].join("\n")
      const before = known.get(file.path)
      const isSame = before?.content.sha256 === content.sha256 && before.names === names
      const read = isSame
        ? before
        : { ...file, content, names, read: readEntries(content.text, contextOf(file, roster, now)) }
      seen.set(file.path, read)
      return read
    }
    const reading = readStore(store, now, undefined, readFile)
    const isSame = last !== undefined && isSameReading(last, reading)
    known = seen
    if (!isSame) last = reading
    return last ?? reading
  }
}

function isSameReading(one: StoreReading, other: StoreReading): boolean {
  return (
    one.files.length === other.files.length &&
    one.files.every((file, index) => file === other.files[index]) &&
    JSON.stringify(one.unreadable) === JSON.stringify(other.unreadable)
  )
}
