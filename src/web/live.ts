import type { Context } from "hono"
import { streamSSE } from "hono/streaming"
import type { Drey } from "../drey.ts"
import { DreyError } from "../errors.ts"
import type { LiveEvent } from "./api.ts"
import { type MemoryWatch, watchMemory } from "./watch-memory.ts"

/** Tells open pages what changes. */
export type Live = {
  listen(context: Context): Response
  close(): void
}

const heartbeatMs = 15_000

/** Looks for changes only while somebody listens. */
export function openLive({ drey, warn }: { drey: Drey; warn: (message: string) => void }): Live {
  const listeners = new Set<(event: LiveEvent) => void>()
  const ending = new AbortController()
  let watch: MemoryWatch | undefined
  const join = async (listener: (event: LiveEvent) => void) => {
    listeners.add(listener)
    watch ??= watchMemory(drey, {
      onChange: (event) => {
        for (const each of listeners) each(event)
      },
      onTrouble: (error) => warn(`what changed cannot be told: ${error instanceof DreyError ? error.message : error}`),
    })
    await watch.isReady
  }
  const leave = (listener: (event: LiveEvent) => void) => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    watch?.close()
    watch = undefined
  }
  return {
    listen: (context) =>
      streamSSE(context, async (stream) => {
        const listener = (event: LiveEvent) => void stream.writeSSE({ data: JSON.stringify(event) })
        const isOver = new Promise<void>((resolve) => {
          stream.onAbort(resolve)
          ending.signal.addEventListener("abort", () => resolve(), { once: true })
        })
        const joined = join(listener)
        const heartbeat = setInterval(() => void stream.write(": still here\n\n"), heartbeatMs)
        await Promise.race([joined, isOver])
        await stream.write(": listening\n\n")
        await isOver
        clearInterval(heartbeat)
        leave(listener)
      }),
    close() {
      ending.abort()
      watch?.close()
    },
  }
}
