import { statSync } from "node:fs"
import { openStaticEmbedder, type StaticOutcome } from "../../index/embedders/static-embedder.ts"
import { openIndexReader } from "../../index/index-reader.ts"

type OpenedReader = NonNullable<ReturnType<typeof openIndexReader>>

/** Indexes that a process keeps open from one question to the next, with what it read of them. */
export type KeptIndexes = {
  table(): StaticOutcome
  /** Opens an index, or returns the one that is open. Closing it gives it back. */
  reader(...[path, ids]: Parameters<typeof openIndexReader>): OpenedReader | undefined
  close(): Promise<void>
}

/** Two for a checkout: its memory, and its conversations and commits. */
const mostOpen = 6

/** A reader sees what other processes write; only one whose file was replaced by another is opened again. */
export function keptIndexes(): KeptIndexes {
  const open = new Map<string, { reader: OpenedReader; inode: number; users: number }>()
  let table: StaticOutcome | undefined
  const drop = async (path: string) => {
    const found = open.get(path)
    open.delete(path)
    if (found?.users === 0) await found.reader.close()
  }
  const makeRoom = () => {
    for (const [path, { users }] of open) {
      if (open.size < mostOpen) return
      if (users === 0) void drop(path)
    }
  }
  return {
    table() {
      if (table?.kind !== "ready") table = openStaticEmbedder()
      return table
    },
    reader(path, ids) {
      const inode = statSync(path, { throwIfNoEntry: false })?.ino
      const before = open.get(path)
      if (before && before.inode !== inode) void drop(path)
      if (inode === undefined) return undefined
      let kept = before?.inode === inode ? before : undefined
      if (!kept) {
        const reader = openIndexReader(path, ids)
        if (!reader) return undefined
        makeRoom()
        kept = { reader, inode, users: 0 }
      }
      const lent = kept
      open.delete(path)
      open.set(path, lent) // the one used last is dropped last
      lent.users++
      return {
        ...lent.reader,
        async close() {
          lent.users--
          if (lent.users === 0 && open.get(path) !== lent) await lent.reader.close()
        },
      }
    },
    async close() {
      for (const path of [...open.keys()]) await drop(path)
      if (table?.kind === "ready") table.embedder.close()
      table = undefined
    },
  }
}
