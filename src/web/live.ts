import type { Context } from "hono"
import { streamSSE } from "hono/streaming"
import type { Drey } from "../drey.ts"
import { DreyError } from "../errors.ts"
import type { LiveEvent } from "./api.ts"
import { type MemoryWatch, watchMemory } from "./watch-memory.ts"

/** Sends changes to open pages. */
export type Live = {
  listen(context: Context): Response
  close(): void
}

const heartbeatMs = 15_000

type Listener = { tell(event: LiveEvent): void; end(): void }

/** Watches for changes only while a page listens. */
export function openLive({ drey, warn }: { drey: Drey; warn: (message: string) => void }): Live {
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
