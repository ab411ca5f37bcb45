import { dreyHome } from "../config.ts"
import { isSyncDue } from "../team/client/sync-due.ts"
import type { BackgroundPlace } from "./start-in-background.ts"

/** Starts a sync with the user's team, in a process of its own, where one is due: whoever has an answer to give never waits for the network. */
export async function syncInBackground(place: Omit<BackgroundPlace, "home">): Promise<void> {
  const home = dreyHome(place.environment)
  if (!isSyncDue(home, new Date())) return
  const { startInBackground } = await import("./start-in-background.ts")
  try {
    startInBackground(["team", "sync", "--background"], { ...place, home })
  } catch {
    // Where no process can be started or noted, somebody else syncs, or the user does; the answer is given all the same.
  }
}
