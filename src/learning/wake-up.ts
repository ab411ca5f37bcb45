import { type FSWatcher, watch } from "node:fs"

export type WakeUp = {
  /** Waits for some milliseconds, less when something happens in a watched folder, not at all once aborted. */
  wait(ms: number): Promise<void>
  /** Watches these folders, and as many of the earlier ones as the limit allows. */
  listenTo(folders: readonly string[]): void
  close(): void
}

/** Debounce for busy folders. */
const leastMs = 300
const mostFolders = 32

/** File events only shorten the wait: some file systems report none, and the caller polls in any case. */
export function openWakeUp(signal: AbortSignal): WakeUp {
  const watchers = new Map<string, FSWatcher>()
  let hasHappened = false
  let wake: (() => void) | undefined
  const happened = () => {
    hasHappened = true
    wake?.()
  }
  const stop = (folder: string) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  return {
    async wait(ms) {
      await pause(Math.min(leastMs, ms), signal)
      if (hasHappened || signal.aborted) {
        hasHappened = false
        return
      }
      const end = new AbortController()
      wake = () => end.abort()
      signal.addEventListener("abort", wake, { once: true })
      await pause(ms - leastMs, end.signal)
      signal.removeEventListener("abort", wake)
      wake = undefined
      hasHappened = false
    },
    listenTo(folders) {
      const wanted = new Set([...folders, ...watchers.keys()].slice(0, mostFolders))
      for (const folder of [...watchers.keys()]) if (!wanted.has(folder)) stop(folder)
      for (const folder of wanted) {
        if (watchers.has(folder)) continue
        try {
          const watcher = watch(folder, { persistent: false }, happened)
          watchers.set(
            folder,
            watcher.on("error", () => stop(folder)),
          )
        } catch {
          // Deleted meanwhile, or out of file watchers: the next poll finds what is new.
        }
      }
    },
    close() {
      for (const folder of [...watchers.keys()]) stop(folder)
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener("abort", end)
  })
}
