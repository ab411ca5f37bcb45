import type { LearnedStore } from "./learned-store.ts"
import { type StoreOptions, storeMethods } from "./store-methods.ts"
import { storeSession } from "./store-session.ts"

/** Learned memory in a SQLite file, which any number of processes may have open. No file is made before something is written. */
export function sqliteStore(path: string, options: StoreOptions = {}): LearnedStore {
  return storeMethods(storeSession(path), options)
}
