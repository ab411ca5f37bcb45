import { type JSONRPCMessage, ProtocolErrorCode, parseJSONRPCMessage } from "@modelcontextprotocol/server"

/** A parsed line; `id` is the id of a malformed request, if it can be read. */
export type ReadMessage =
  | { kind: "message"; message: JSONRPCMessage }
  | { kind: "unusable"; id: string | number | null; code: number; reason: string }

const lineFeed = 0x0a

/** The messages of a stream, one per line. Lines over `mostBytes` and invalid messages are reported and skipped. */
export async function* readMessages(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<ReadMessage> {
  let parts: Buffer[] = []
  let length = 0
  let isTooLong = false
  const take = (): ReadMessage | undefined => {
    const line = Buffer.concat(parts).toString("utf8").trim()
    const read = isTooLong ? tooLong(mostBytes) : line === "" ? undefined : readLine(line)
    parts = []
    length = 0
    isTooLong = false
    return read
  }
  const add = (piece: Buffer) => {
    length += piece.length
    isTooLong ||= length > mostBytes
    if (isTooLong)
      parts = [] // the rest of the line is discarded
    else parts.push(piece)
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end))
      const read = take()
      if (read) yield read
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  const last = take()
  if (last) yield last
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
