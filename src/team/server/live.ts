import type { PostgresDriver } from "../../disk/postgres/driver.ts"
import { postgresSession } from "../../store/postgres/postgres-session.ts"
import { tenantIdOf } from "../../store/postgres/tenant-id.ts"
import { one } from "../../store/steps.ts"
import type { Caller } from "./identity/caller.ts"
import { wholeOf } from "./identity/caller.ts"
import type { Passes } from "./identity/passes.ts"
import { refuse } from "./refusal.ts"
import type { ServerMetrics } from "./server-metrics.ts"

/** Notifies open event streams when memories of their organisation change. */
export type Live = {
  /** Streams server-sent events until the caller disconnects or loses access. Refused when the caller has too many streams. */
  listen(caller: Caller, isStillAllowed: () => Promise<boolean>): Response
  close(): Promise<void>
}

/** Streams per token or sign-in; hidden pages do not listen. */
const mostStreams = 5

type Listener = { pass: string; tell(version: number): void; check(): void; end(): void }
type Audience = { slug: string; listeners: Set<Listener>; asking: boolean; again: boolean }

export type LiveOptions = {
  driver: PostgresDriver
  passes: Passes
  metrics: ServerMetrics
  warn: (message: string, error: unknown) => void
  heartbeatMs?: number
}

/** One database connection listens for all streams of the process. */
export async function openLive({ driver, passes, metrics, warn, heartbeatMs = 15_000 }: LiveOptions): Promise<Live> {
  const audiences = new Map<string, Audience>()
  /** Coalesces bursts: changes during a notification cause one more. */
  const tell = async (tenant: string, audience: Audience) => {
    if (audience.asking) {
      audience.again = true
      return
    }
    audience.asking = true
    try {
      do {
        audience.again = false
        const session = postgresSession(driver, wholeOf(audience.slug))
        const row = await session.read(() => one<{ seq: number }>("SELECT seq FROM organisations"))
        for (const listener of audience.listeners) listener.tell(row?.seq ?? 0)
      } while (audience.again && audiences.get(tenant) === audience)
    } catch (error) {
      warn("listeners could not be notified of changes", error)
    } finally {
      audience.asking = false
    }
  }
  const stop = await driver.listen("drey_changed", (tenant) => {
    const audience = audiences.get(tenant)
    if (audience) void tell(tenant, audience)
  })
  passes.onRevoked((tenant) => {
    for (const listener of audiences.get(tenant)?.listeners ?? []) listener.check()
  })
  return {
    listen({ slug, via: { id: pass } }, isStillAllowed) {
      const tenant = tenantIdOf(slug)
      const audience = audiences.get(tenant) ?? { slug, listeners: new Set(), asking: false, again: false }
      if ([...audience.listeners].filter((listener) => listener.pass === pass).length >= mostStreams)
        refuse(429, "too-many", `At most ${mostStreams} streams can be open at once.`)
      audiences.set(tenant, audience)
      const encoder = new TextEncoder()
      let leave = () => {}
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          const write = (text: string) => controller.enqueue(encoder.encode(text))
          const listener: Listener = {
            pass,
            tell: (version) => write(`data: ${JSON.stringify({ kind: "changed", version })}\n\n`),
            check: () => void checkPass(),
            end() {
              leave()
              controller.close()
            },
          }
          const checkPass = async () => {
            const isAllowed = await isStillAllowed().catch(() => true) // keep the stream while the database is unavailable
            if (!isAllowed && audience.listeners.has(listener)) listener.end()
          }
          const heartbeat = setInterval(() => {
            write(": still here\n\n")
            listener.check()
          }, heartbeatMs)
          leave = () => {
            clearInterval(heartbeat)
            if (!audience.listeners.delete(listener)) return
            metrics.noteListeners(-1)
            if (audience.listeners.size === 0) audiences.delete(tenant)
          }
          audience.listeners.add(listener)
          metrics.noteListeners(1)
          write(": listening\n\n")
        },
        cancel: () => leave(),
      })
      return new Response(stream, {
        headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" },
      })
    },
    async close() {
      for (const { listeners } of [...audiences.values()]) for (const listener of [...listeners]) listener.end()
      await stop()
    },
  }
}
