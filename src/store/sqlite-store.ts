import type { LearnedStore } from "./learned-store.ts"
import { type StoreOptions, storeMethods } from "./store-methods.ts"
import { storeSession } from "./store-session.ts"

/** Learned memory in a SQLite file; any number of processes may have it open. The first write creates the file. */
export function sqliteStore(path: string, options: StoreOptions = {}): LearnedStore {
  return storeMethods(storeSession(path), options)
}
