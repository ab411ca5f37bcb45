import { type FSWatcher, readdirSync, watch } from "node:fs"
import { basename, join } from "node:path"
import type { Context } from "hono"
import { streamSSE } from "hono/streaming"
import type { Drey } from "../drey.ts"
import { DreyError } from "../errors.ts"
import type { LiveEvent } from "../recall/browse/app-api.ts"
import type { Catalogue, Catalogued } from "../recall/browse/catalogue.ts"

/** Sends changes to open pages. */
export type LiveEvents = {
  listen(context: Context): Response
  close(): void
}

const heartbeatMs = 15_000

type Listener = { tell(event: LiveEvent): void; end(): void }

/** Watches for changes only while a page listens. */
export function openLiveEvents({ drey, warn }: { drey: Drey; warn: (message: string) => void }): LiveEvents {
  const listeners = new Set<Listener>()
  let watch: MemoryWatch | undefined
  const join = async (listener: Listener) => {
    listeners.add(listener)
    watch ??= watchMemory(drey, {
      onChange: (event) => {
        for (const { tell } of listeners) tell(event)
      },
      onTrouble: (error) => warn(`changes cannot be detected: ${error instanceof DreyError ? error.message : error}`),
    })
    await watch.isReady
  }
  const leave = (listener: Listener) => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    watch?.close()
    watch = undefined
  }
  return {
    listen: (context) =>
      streamSSE(context, async (stream) => {
        let end = () => {}
        const isOver = new Promise<void>((resolve) => {
          end = resolve
        })
        stream.onAbort(end)
        const listener = { tell: (event: LiveEvent) => void stream.writeSSE({ data: JSON.stringify(event) }), end }
        const heartbeat = setInterval(() => void stream.write(": still here\n\n"), heartbeatMs)
        try {
          await Promise.race([join(listener), isOver])
          await stream.write(": listening\n\n")
          await isOver
        } finally {
          clearInterval(heartbeat)
          leave(listener)
        }
      }),
    close() {
      for (const { end } of listeners) end()
      watch?.close()
    },
  }
}

export type MemoryWatchOptions = {
  onChange(event: LiveEvent): void
  onTrouble(error: unknown): void
}

type MemoryWatch = {
  /** Resolves once changes are detected. */
  isReady: Promise<void>
  close(): void
}

const pollMs = 1000
/** Editors often write a file several times in a row. */
const settleMs = 60

/**
 * Compares the catalogue with the previous one: at once on a file event, otherwise every second, which also detects learned memories and
 * changes without file events.
 */
function watchMemory(drey: Drey, { onChange, onTrouble }: MemoryWatchOptions): MemoryWatch {
  let known: Seen | undefined
  let looking: Promise<void> = Promise.resolve()
  let isWaiting = false
  let isClosed = false
  let settling: NodeJS.Timeout | undefined
  const look = () => {
    if (isWaiting || isClosed) return
    isWaiting = true
    looking = looking.then(async () => {
      isWaiting = false
      try {
        const seen = await readSeen(drey)
        if (known) for (const event of compare(known, seen)) if (!isClosed) onChange(event)
        known = seen
      } catch (error) {
        onTrouble(error) // the next poll may succeed
      }
    })
  }
  const lookSoon = () => {
    clearTimeout(settling)
    settling = setTimeout(look, settleMs)
  }
  const watchers = [".squad", ".ai-team"]
    .flatMap((name) => foldersIn(join(drey.root, name), deepest))
    .slice(0, mostFolders)
    .flatMap((folder) => watchFolder(folder, lookSoon))
  const timer = setInterval(look, pollMs)
  look()
  return {
    isReady: looking,
    close() {
      isClosed = true
      clearInterval(timer)
      clearTimeout(settling)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Agents' folders are two levels down; beyond the limit only polling is used. */
const deepest = 2
const mostFolders = 200

/** Skips session folders, of which there may be thousands. */
function foldersIn(folder: string, depth: number): string[] {
  const below = listFolders(folder)
  if (!below) return []
  const isDeeper = depth > 0 && basename(folder) !== "sessions"
  return [folder, ...(isDeeper ? below.flatMap((name) => foldersIn(join(folder, name), depth - 1)) : [])]
}

/** Undefined if the folder is missing or unreadable. */
function listFolders(folder: string): string[] | undefined {
  try {
    const items = readdirSync(folder, { withFileTypes: true })
    return items.filter((item) => item.isDirectory()).map(({ name }) => name)
  } catch {
    return undefined
  }
}

/** Falls back to polling where watching is not supported. */
function watchFolder(path: string, onChange: () => void): FSWatcher[] {
  try {
    const watcher = watch(path, onChange)
    watcher.on("error", () => watcher.close())
    return [watcher]
  } catch {
    return []
  }
}

type Seen = { catalogue: Catalogue; trouble: string; sessions: string; uses: string }

async function readSeen(drey: Drey): Promise<Seen> {
  const browse = drey.search.browse
  const { unreadable, conflicts, ...catalogue } = await browse.catalogue()
  const sessions = await drey.sessions.stamp()
  return { catalogue, trouble: JSON.stringify({ unreadable, conflicts }), sessions, uses: await browse.usesStamp() }
}

function compare(before: Seen, now: Seen): LiveEvent[] {
  const events: LiveEvent[] = []
  const isSame = before.catalogue.stamp === now.catalogue.stamp
  const changed = isSame ? [] : changesBetween(before.catalogue, now.catalogue)
  const touches = (source: string) =>
    changed.some(({ id }) => [before, now].some(({ catalogue }) => catalogue.byId.get(id)?.row.source === source))
  if (changed.length > 0) events.push({ kind: "items", changed })
  if (touches("session") || before.sessions !== now.sessions) events.push({ kind: "sessions" })
  const isElsewhere = !isSame && changed.length === 0 // such as an inbox file without entries
  if (touches("inbox") || isElsewhere || before.trouble !== now.trouble) events.push({ kind: "inbox" })
  if (before.uses !== now.uses) events.push({ kind: "uses" })
  return events
}

type CatalogueChange = Extract<LiveEvent, { kind: "items" }>["changed"][number]

function changesBetween(before: Catalogue, now: Catalogue): CatalogueChange[] {
  const changes: CatalogueChange[] = []
  for (const [id, current] of now.byId) {
    const former = before.byId.get(id)
    if (!former) changes.push({ id, change: "added" })
    else if (!readsTheSame(former, current)) changes.push({ id, change: "changed" })
  }
  for (const id of before.byId.keys()) if (!now.byId.has(id)) changes.push({ id, change: "removed" })
  return changes
}

function readsTheSame(one: Catalogued, other: Catalogued): boolean {
  return one.text === other.text && JSON.stringify(one.row) === JSON.stringify(other.row)
}
