import type { PostgresDriver } from "../disk/postgres/driver.ts"
import { postgresSession } from "../memories/postgres/postgres-store.ts"
import { tenantIdOf } from "../memories/postgres/tenancy.ts"
import { one } from "../memories/steps.ts"
import type { AuthCache } from "./identity/auth-cache.ts"
import { type TeamCaller, wholeOf } from "./identity/caller.ts"
import type { ServerMetrics } from "./metrics.ts"
import { refuse } from "./refusal.ts"

/** Notifies open event streams when memories of their organisation change. */
export type ChangeStream = {
  /** Streams server-sent events until the caller disconnects or loses access. Refused when the caller has too many streams. */
  listen(caller: TeamCaller, isStillAllowed: () => Promise<boolean>): Response
  close(): Promise<void>
}

/** Streams per token or sign-in; hidden pages do not listen. */
const mostStreams = 5

type Listener = { pass: string; tell(version: number): void; check(): void; end(): void }
type Audience = { slug: string; listeners: Set<Listener>; asking: boolean; again: boolean }

export type LiveOptions = {
  driver: PostgresDriver
  passes: AuthCache
  metrics: ServerMetrics
  warn: (message: string, error: unknown) => void
  heartbeatMs?: number
}

/** One database connection listens for all streams of the process. */
export async function openChangeStream({
  driver,
  passes,
  metrics,
  warn,
  heartbeatMs = 15_000,
}: LiveOptions): Promise<ChangeStream> {
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
