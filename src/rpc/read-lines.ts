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
