import type { ServerContext } from "@modelcontextprotocol/server"

const leastPauseMs = 100

/** Sends throttled progress notifications to the client, if it requested them. */
export function progressOf({ mcpReq }: ServerContext): (done: number, total: number) => void {
  const progressToken = mcpReq._meta?.progressToken
  let last = Number.NEGATIVE_INFINITY
  let told = -1
  return (done, total) => {
    const now = performance.now()
    if (progressToken === undefined || done <= told || now - last < leastPauseMs) return
    last = now
    told = done
    const message = `Bringing the index up to date: ${done} of ${total} files`
    const params = { progressToken, progress: done, total, message }
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}) // the client is gone
  }
}
