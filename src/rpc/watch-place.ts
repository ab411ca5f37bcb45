import { join } from "node:path"
import { dreyHome } from "../config.ts"
import { socketPathOf } from "./socket-path.ts"

/** Where the one watch of a user keeps what others need to find it. */
export type WatchPlace = {
  socket: string
  /** Held for as long as it runs. */
  lock: string
  /** Its process and socket: another process may have other variables set, and look for the socket elsewhere. */
  record: string
  log: string
}

export function watchPlaceOf(environment: NodeJS.ProcessEnv): WatchPlace {
  const folder = join(dreyHome(environment), "run")
  return {
    socket: socketPathOf(environment),
    lock: join(folder, "watch.lock"),
    record: join(folder, "watch.json"),
    log: join(folder, "watch.log"),
  }
}
