import type { ChangeEvent, ChangeFeed } from "../learning/change-feed.ts"

export type FollowOptions = {
  pollMs: number
  onChange: ((event: ChangeEvent) => void) | undefined
  warn: (message: string) => void
}

/** Passes on what a feed tells, again and again until `end`, which looks for the last time. Trouble is told, and the next look tried. */
export function followChanges(feed: ChangeFeed, { pollMs, onChange, warn }: FollowOptions) {
  let last = Promise.resolve()
  const lookNow = async () => {
    try {
      for (const event of await feed.next()) onChange?.(event)
    } catch (error) {
      warn(`what changed cannot be told: ${error instanceof Error ? error.message : error}`)
    }
  }
  const look = (): Promise<void> => {
    last = last.then(lookNow) // one at a time: each compares with the one before
    return last
  }
  const timer = onChange ? setInterval(look, pollMs) : undefined
  return {
    look,
    async end(): Promise<void> {
      clearInterval(timer)
      await look()
    },
  }
}
