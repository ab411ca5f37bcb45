import { dreyHome } from "./config.ts"
import type { Drey, DreyOptions } from "./drey.ts"
import { buildContext } from "./recall/build-context.ts"
import { appendContext } from "./recall/context-log.ts"
import { openCurrent } from "./recall/open-current.ts"
import { search } from "./recall/search.ts"
import { findStore } from "./squad/find-store.ts"

/** What one question to an index that is up to date needs. */
export type QuickDrey = Pick<Drey, "root" | "search" | "context">

/** The same answers as `openDrey` gives, from a fraction of its code; undefined where there is something to do before it can answer. */
export async function openQuickDrey(
  options: Pick<DreyOptions, "root" | "now" | "environment"> = {},
): Promise<QuickDrey | undefined> {
  const environment = options.environment ?? process.env
  const now = options.now ?? (() => new Date())
  const start = options.root ?? environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT ?? process.cwd()
  const store = findStore(start)
  const current = await openCurrent(store, dreyHome(environment), now)
  if (!current) return undefined
  const { parts, place } = current
  const noTrouble = { unreadable: [], conflicts: [] }
  return {
    root: store.root,
    search: async (request) => ({ hits: await search(parts, request), ...noTrouble }),
    async context(request) {
      const { context, record } = await buildContext(parts, request)
      await appendContext(place.contexts, record)
      return { context, ...noTrouble }
    },
  }
}
