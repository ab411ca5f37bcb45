import { postgresSession } from "../../memories/postgres/postgres-store.ts"
import { one, type Steps } from "../../memories/steps.ts"
import type { RecallParts } from "../../recall/recall-parts.ts"
import { adminReachOf, type TeamCaller } from "../identity/caller.ts"
import { stepsOn, tenantRecall } from "../memories/tenant-store.ts"
import type { TeamParts } from "../team-parts.ts"

/** A consistent snapshot of the memories that a caller may see. There may be hundreds of thousands: read a page or a count. */
export type MemorySnapshot = {
  now: Date
  read<Result>(steps: Steps<Result>): Promise<Result>
  recall: RecallParts
}

export function withSnapshot<Result>(
  { driver, memory, now }: Pick<TeamParts, "driver" | "memory" | "now">,
  caller: TeamCaller,
  body: (look: MemorySnapshot) => Promise<Result>,
): Promise<Result> {
  return driver.within(adminReachOf(caller), "read", (ask) =>
    body({ now: now(), read: (steps) => stepsOn(ask, steps), recall: tenantRecall(ask, undefined, memory) }),
  )
}

/** Figures that take a pass over all memories of an organisation. */
export type FiguresCache = {
  /**
   * The last figures computed under this name for callers that see the same memories, if no memory has changed since; at most a minute
   * old.
   */
  of<Figures>(caller: TeamCaller, name: string, make: (look: MemorySnapshot) => Promise<Figures>): Promise<Figures>
}

const longestMs = 60_000
const mostKept = 200

/** Every page requests some of them, and every open page requests them again with each change: all of these wait for the same pass. */
export function openFiguresCache(parts: Pick<TeamParts, "driver" | "memory" | "now">): FiguresCache {
  const kept = new Map<string, { until: number; figures: Promise<unknown> }>()
  return {
    async of<Figures>(caller: TeamCaller, name: string, make: (look: MemorySnapshot) => Promise<Figures>) {
      const reach = adminReachOf(caller)
      const row = await postgresSession(parts.driver, reach).read(() =>
        one<{ seq: number }>("SELECT seq FROM organisations"),
      )
      const key = JSON.stringify([reach, row?.seq, name])
      const known = kept.get(key)
      const now = parts.now().getTime()
      if (known && known.until > now) return known.figures as Promise<Figures> // of the same name, and so of the same form
      const figures = withSnapshot(parts, caller, make)
      kept.delete(key)
      kept.set(key, { until: now + longestMs, figures })
      figures.catch(() => kept.delete(key)) // the next one tries again; this error is reported to the callers that wait for it
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return figures
    },
  }
}
