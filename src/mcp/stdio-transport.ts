import type { Readable, Writable } from "node:stream"
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server"
import { streamLines } from "../disk/lines.ts"

export type StdioTransport = Transport & {
  /** Stops reading; pending requests are still answered. */
  stop(): void
  /** Resolves when the input has ended and every request was answered. */
  readonly ended: Promise<void>
}

const longestLine = 8 * 1024 * 1024
/** Maximum pending requests; further ones stay in the pipe (backpressure). */
const mostOpen = 64
/** A hanging call must not keep the process alive forever. */
const patienceMs = 30_000

/**
 * JSON-RPC on two streams, one message per line. A client that closes its input still gets its answers, one that sends too much waits, and
 * a disconnect is not an error.
 */
export function stdioTransport(input: Readable, output: Writable): StdioTransport {
  const open = new Set<string | number>() // unanswered requests of the client
  const asked = new Set<string | number>() // our own unanswered requests
  let waiters: (() => void)[] = []
  let isGone = false
  let isClosed = false
  const tellAll = () => {
    const told = waiters
    waiters = []
    for (const tell of told) tell()
  }
  const change = () => new Promise<void>((resolve) => waiters.push(resolve))
  const close = () => {
    if (isClosed) return
    isClosed = true
    input.destroy()
    tellAll()
    transport.onclose?.()
  }
  const write = (message: object) =>
    new Promise<void>((resolve) => {
      if (isGone) resolve()
      else output.write(`${JSON.stringify(message)}\n`, () => resolve())
    })
  const read = async () => {
    for await (const line of readMessages(input, longestLine)) {
      if (line.kind === "unusable") {
        await write({ jsonrpc: "2.0", id: line.id, error: { code: line.code, message: line.reason } })
        continue
      }
      // While we wait for the client's answer, it may come after further requests.
      while (open.size >= mostOpen && asked.size === 0 && !isClosed) await change()
      note(line.message, { open, asked })
      transport.onmessage?.(line.message)
    }
  }
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const transport: StdioTransport = {
    ended,
    async start() {
      output.on("error", () => {
        isGone = true // the client is gone; pending calls are completed anyway
        input.destroy()
      })
      read()
        .catch((error: Error) => {
          if (!input.destroyed) transport.onerror?.(error)
        })
        .then(async () => {
          const impatience = setTimeout(close, patienceMs)
          while (open.size > 0 && !isClosed) await change()
          clearTimeout(impatience)
          end()
        })
    },
    async send(message) {
      await write(message)
      note(message, { open: asked, asked: open })
      tellAll()
    },
    async close() {
      close()
    },
    stop: () => void input.destroy(),
  }
  return transport
}

/** Tracks unanswered requests in both directions. A cancelled request gets no answer. */
function note(
  message: JSONRPCMessage,
  { open, asked }: { open: Set<string | number>; asked: Set<string | number> },
): void {
  if ("method" in message) {
    if ("id" in message) open.add(message.id)
    else if (message.method === "notifications/cancelled") cancel(message.params?.requestId, open)
  } else if (message.id !== undefined) asked.delete(message.id)
}

function cancel(id: unknown, open: Set<string | number>): void {
  if (typeof id === "string" || typeof id === "number") open.delete(id)
}

/** A parsed line; `id` is the id of a malformed request, if it can be read. */
export type ReadMessage =
  | { kind: "message"; message: JSONRPCMessage }
  | { kind: "unusable"; id: string | number | null; code: number; reason: string }

/** The messages of a stream, one per line. Lines over `mostBytes` and invalid messages are reported and skipped. */
export async function* readMessages(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<ReadMessage> {
  for await (const line of streamLines(chunks, mostBytes))
    yield line.kind === "line" ? readLine(line.text) : tooLong(mostBytes)
}

function readLine(line: string): ReadMessage {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { kind: "unusable", id: null, code: ProtocolErrorCode.ParseError, reason: "This line is not JSON" }
  }
  try {
    return { kind: "message", message: parseJSONRPCMessage(value) }
  } catch {
    const reason = "This is not a JSON-RPC 2.0 message"
    return { kind: "unusable", id: idOf(value), code: ProtocolErrorCode.InvalidRequest, reason }
  }
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null
  return typeof value.id === "string" || typeof value.id === "number" ? value.id : null
}

function tooLong(mostBytes: number): ReadMessage {
  const reason = `A line may have ${mostBytes} bytes at most`
  return { kind: "unusable", id: null, code: ProtocolErrorCode.InvalidRequest, reason }
}
