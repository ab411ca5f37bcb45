import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { dreyHome } from "../config.ts"
import { sha256 } from "../disk/hash.ts"

/** The system takes 104 to 108 bytes, depending on which it is. */
const longestPath = 100

/**
 * Where this user's service listens: in the folder that the system keeps for running programs, if it is private, else in Drey's own.
 * Each Drey home has its own socket.
 */
export function socketPathOf(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const home = dreyHome(environment)
  const mark = sha256(home).slice(0, 12)
  if (platform === "win32") return `\\\\.\\pipe\\drey-${mark}`
  const runtime = environment.DREY_HOME === undefined ? environment.XDG_RUNTIME_DIR : undefined
  const folder = runtime !== undefined && isPrivate(runtime) ? join(runtime, "drey") : join(home, "run")
  const path = join(folder, name)
  const short = join(tmpdir(), `drey-${process.getuid?.() ?? 0}-${mark}`, name)
  return Buffer.byteLength(path) <= longestPath ? path : short
}

const name = "watch.sock"

function isPrivate(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
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

export type ReadLine = { kind: "line"; text: string } | { kind: "too long" }

const lineFeed = 0x0a

/** The non-blank lines of a byte stream. A line over `mostBytes` is reported and ends the stream. */
export async function* readLines(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<ReadLine> {
  const held = openHeld()
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      held.add(chunk.subarray(start, end))
      if (held.length() > mostBytes) return yield { kind: "too long" }
      const text = held.take()
      if (text !== "") yield { kind: "line", text }
      start = end + 1
    }
    held.add(chunk.subarray(start))
    if (held.length() > mostBytes) return yield { kind: "too long" }
  }
  const text = held.take()
  if (text !== "") yield { kind: "line", text }
}

/** The beginning of a line in one piece of memory, however small the pieces in which it comes. */
function openHeld() {
  let bytes = Buffer.alloc(0)
  let length = 0
  return {
    length: () => length,
    add(piece: Buffer) {
      if (length + piece.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * bytes.length, length + piece.length))
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      piece.copy(bytes, length)
      length += piece.length
    },
    take() {
      const text = bytes.toString("utf8", 0, length).trim()
      bytes = Buffer.alloc(0)
      length = 0
      return text
    },
  }
}
