import { postgresSession } from "../../../store/postgres/postgres-session.ts"
import { one } from "../../../store/steps.ts"
import { type Caller, wideReachOf } from "../identity/caller.ts"
import type { TeamParts } from "../team-parts.ts"
import { lookAround, type MemoryLook } from "./look.ts"

/** Figures that take a pass over all memories of an organisation. */
export type KeptFigures = {
  /** As they were made last under this name, for whoever sees the same memories, if no memory has changed since; a minute old at most. */
  of<Figures>(caller: Caller, name: string, make: (look: MemoryLook) => Promise<Figures>): Promise<Figures>
}

const longestMs = 60_000
const mostKept = 200

/** Every page asks for some of them, and whoever has one open asks anew with every change: all of these wait for the same pass. */
export function openKeptFigures(parts: Pick<TeamParts, "driver" | "memory" | "now">): KeptFigures {
  const kept = new Map<string, { until: number; figures: Promise<unknown> }>()
  return {
    async of<Figures>(caller: Caller, name: string, make: (look: MemoryLook) => Promise<Figures>) {
      const reach = wideReachOf(caller)
      const row = await postgresSession(parts.driver, reach).read(() =>
        one<{ seq: number }>("SELECT seq FROM organisations"),
      )
      const key = JSON.stringify([reach, row?.seq, name])
      const known = kept.get(key)
      const now = parts.now().getTime()
      if (known && known.until > now) return known.figures as Promise<Figures> // of the same name, and so of the same form
      const figures = lookAround(parts, caller, make)
      kept.delete(key)
      kept.set(key, { until: now + longestMs, figures })
      figures.catch(() => kept.delete(key)) // the next one tries again; this one is told by whoever waits for it
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return figures
    },
  }
}
