import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { dreyHome } from "../config.ts"
import { sha256 } from "../disk/hash.ts"

/** The system takes 104 to 108 bytes, depending on which it is; a process that is about to answer hooks adds its number. */
const longestPath = 94

/**
 * Where this user's service listens: in the folder that the system keeps for running programs, if it is private, else in Drey's own.
 * Hooks of one Drey home are never answered from another one.
 */
export function socketPathOf(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  name: "watch" | "hooks" = "watch",
): string {
  const home = dreyHome(environment)
  const mark = sha256(home).slice(0, 12)
  if (platform === "win32") return `\\\\.\\pipe\\drey-${name === "watch" ? "" : `${name}-`}${mark}`
  const runtime = environment.DREY_HOME === undefined ? environment.XDG_RUNTIME_DIR : undefined
  const shared = name === "watch" ? "watch.sock" : `${name}-${mark}.sock` // users set HOME too, and keep the folder for programs
  const path =
    runtime !== undefined && isPrivate(runtime) ? join(runtime, "drey", shared) : join(home, "run", `${name}.sock`)
  const short = join(tmpdir(), `drey-${process.getuid?.() ?? 0}-${mark}`, `${name}.sock`)
  return Buffer.byteLength(path) <= longestPath ? path : short
}

function isPrivate(folder: string): boolean {
  try {
    const found = statSync(folder)
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
  } catch {
    return false // there is none, or this user cannot reach it: Drey's own folder is used
  }
}

/** Windows has no file for it, and lets only its owner in. */
export function isPipe(path: string): boolean {
  return path.startsWith("\\\\.\\pipe\\")
}

/** Where the one watch of a user keeps what others need to find it. */
export type WatchPaths = {
  socket: string
  /** Held for as long as it runs. */
  lock: string
  /** Its process and socket: another process may have other variables set, and look for the socket in another place. */
  record: string
  log: string
}

export function watchPaths(environment: NodeJS.ProcessEnv): WatchPaths {
  const folder = join(dreyHome(environment), "run")
  return {
    socket: socketPathOf(environment),
    lock: join(folder, "watch.lock"),
    record: join(folder, "watch.json"),
    log: join(folder, "watch.log"),
  }
}
