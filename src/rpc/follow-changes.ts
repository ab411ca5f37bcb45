import { DreyError } from "../errors.ts"
import type { ChangeEvent, ChangeFeed } from "../learning/change-feed.ts"

export type FollowOptions = {
  pollMs: number
  onChange: ((event: ChangeEvent) => void) | undefined
  warn: (message: string) => void
}

/** Polls a feed and forwards its events until `end`, which polls once more. Repeated errors are reported once. */
export function followChanges(feed: ChangeFeed, { pollMs, onChange, warn }: FollowOptions) {
  let last = Promise.resolve()
  let waiting = 0
  let told: string | undefined
  const lookNow = async () => {
    try {
      for (const event of await feed.next()) onChange?.(event)
      told = undefined
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const isBug = error instanceof Error && !(error instanceof DreyError)
      if (message !== told) warn(`changes could not be read: ${isBug ? error.stack : message}`)
      told = message
    }
    waiting--
  }
  const look = (): Promise<void> => {
    waiting++
    last = last.then(lookNow) // one at a time: each poll compares with the previous one
    return last
  }
  const tick = () => {
    if (waiting === 0) void look() // a look that takes longer than the time between two is not waited for by others
  }
  const timer = onChange ? setInterval(tick, pollMs) : undefined
  return {
    look,
    async end(): Promise<void> {
      clearInterval(timer)
      await look()
    },
  }
}
