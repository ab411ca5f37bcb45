import { constants, fstatSync, openSync, readFileSync, readSync } from "node:fs"

const mostBytes = 1024 * 1024

/**
 * The JSON document that a client writes to a hook; undefined for none, invalid JSON, or more than a megabyte. The
 * client need not close its end: a complete document is enough.
 */
export async function readInput(): Promise<unknown> {
  const input = fstatSync(0)
  if (input.isFile()) return parse(readFileSync(0))
  if (input.isCharacterDevice()) return undefined // a terminal or /dev/null has no input
  const handle = process.platform === "linux" ? openWithoutWaiting(input.isFIFO()) : undefined
  return handle === undefined ? readStream() : readPieces(handle)
}

/**
 * Node's own stream takes longer to load than the rest of a typical hook, and a blocking read would hang on a client
 * that writes nothing. A pipe can be reopened as non-blocking; a socket is made non-blocking through Node's internal
 * binding.
 */
function openWithoutWaiting(isPipe: boolean): number | undefined {
  if (isPipe) return openSync("/dev/stdin", constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const { Pipe, constants: kinds } = (process as unknown as NodeInside).binding("pipe_wrap")
    return (new Pipe(kinds.SOCKET).open(0) ?? 0) === 0 ? 0 : undefined
  } catch {
    return undefined // this Node hides its internals: use the stream, which is slower
  }
}

type NodeInside = {
  binding(name: "pipe_wrap"): {
    Pipe: new (kind: number) => { open(handle: number): number | undefined }
    constants: { SOCKET: number }
  }
}

async function readPieces(handle: number): Promise<unknown> {
  const piece = Buffer.allocUnsafe(64 * 1024)
  const input = collect()
  for (;;) {
    const count = readIfAny(handle, piece)
    if (count === undefined) await new Promise((settle) => setTimeout(settle, 1))
    else if (count === 0 || input.take(piece.subarray(0, count))) return input.value()
  }
}

function readIfAny(handle: number, piece: Buffer): number | undefined {
  try {
    return readSync(handle, piece)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined
    throw error
  }
}

function readStream(): Promise<unknown> {
  const input = collect()
  return new Promise((settle) => {
    process.stdin.on("data", (piece: Buffer) => input.take(piece) && settle(input.value()))
    process.stdin.on("end", () => settle(input.value()))
    process.stdin.on("error", () => settle(undefined)) // the other end is closed
  })
}

/** Collects chunks until `take` reports that no more are needed. */
function collect(): { take(piece: Buffer): boolean; value(): unknown } {
  const pieces: Buffer[] = []
  let bytes = 0
  let value: unknown
  const read = () => {
    value ??= bytes > mostBytes ? undefined : parse(Buffer.concat(pieces))
    return value
  }
  return {
    take(piece) {
      bytes += piece.length
      if (bytes > mostBytes) return true
      pieces.push(Buffer.from(piece))
      return /\}\s{0,4}$/.test(piece.subarray(-5).toString("latin1")) && read() !== undefined
    },
    value: read,
  }
}

function parse(bytes: Buffer): unknown {
  if (bytes.length > mostBytes) return undefined
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, "")) // PowerShell pipes a byte order mark first
  } catch {
    return undefined // incomplete, or not JSON
  }
}
