import { dreyHome } from "../config.ts"
import { isSyncDue } from "../server/client/sync-due.ts"
import type { BackgroundPlace } from "./background-process.ts"

/** Starts a due sync with the user's team in another process, so that answers never wait for the network. */
export async function syncInBackground(place: Omit<BackgroundPlace, "home">): Promise<void> {
  const home = dreyHome(place.environment)
  if (!isSyncDue(home, new Date())) return
  const { startInBackground } = await import("./background-process.ts")
  try {
    startInBackground(["team", "sync", "--background"], { ...place, home })
  } catch {
    // If no process can be started, another process or the user syncs later; the answer is not affected.
  }
}
