import { DreyError } from "../errors.ts"
import type { ChangeEvent, ChangeFeed } from "../learning/change-feed.ts"

export type FollowOptions = {
  pollMs: number
  onChange: ((event: ChangeEvent) => void) | undefined
  warn: (message: string) => void
}

/** Passes on what a feed tells, again and again until `end`, which looks for the last time. Trouble is told once, and the next look tried. */
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
      if (message !== told) warn(`what changed cannot be told: ${isBug ? error.stack : message}`)
      told = message
    }
    waiting--
  }
  const look = (): Promise<void> => {
    waiting++
    last = last.then(lookNow) // one at a time: each compares with the one before
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
