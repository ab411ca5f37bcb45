const lineFeed = 0x0a

/** A line without its line break, or `undefined` if it is too long; counted from 1. */
export type TakeLine = (line: Buffer | undefined, number: number) => void

export type LineSplitter = {
  /** Passes on every complete line. The bytes, and those of the lines, may be reused afterwards. */
  push(bytes: Buffer, take: TakeLine): void
  /** The bytes after the last line break, or `undefined` if they are too long. */
  rest(): Buffer | undefined
  /** Counts the bytes of `rest` as read. */
  takeRest(): void
  /** The bytes and line breaks before the first line that was not passed on. */
  position(): { offset: number; line: number }
}

/** Splits chunks of bytes, which end anywhere, into lines; the bytes of lines longer than `longest` are dropped. */
export function lineSplitter(longest: number, from = { offset: 0, line: 0 }): LineSplitter {
  let { offset, line } = from
  let held = Buffer.alloc(0) // one piece of memory, however small the chunks are
  let length = 0

  const hold = (bytes: Buffer) => {
    const whole = length + bytes.length
    if (whole > longest) held = Buffer.alloc(0)
    else {
      if (whole > held.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * held.length, whole))
        held.copy(larger, 0, 0, length)
        held = larger
      }
      bytes.copy(held, length)
    }
    length = whole
  }
  const drop = () => {
    held = Buffer.alloc(0)
    length = 0
  }
  const rest = () => (length > longest ? undefined : held.subarray(0, length))

  return {
    push(bytes, take) {
      let start = 0
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        let whole: Buffer | undefined = bytes.subarray(start, end)
        if (length > 0 || whole.length > longest) {
          hold(whole)
          whole = rest()
          offset += length
          drop()
        } else offset += whole.length
        offset++
        take(whole, ++line)
        start = end + 1
      }
      if (start < bytes.length) hold(bytes.subarray(start))
    },
    rest,
    takeRest() {
      offset += length
      drop()
    },
    position: () => ({ offset, line }),
  }
}

export type StreamLine = { kind: "line"; text: string } | { kind: "too long" }

/** The lines of a stream, trimmed, without blank ones. One over `mostBytes` is reported at once, and skipped to its end. */
export async function* streamLines(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<StreamLine> {
  const splitter = lineSplitter(mostBytes)
  let isReported = false
  for await (const chunk of chunks) {
    const lines: StreamLine[] = []
    splitter.push(chunk, (line) => {
      if (!isReported) lines.push(toStreamLine(line))
      isReported = false
    })
    yield* lines.filter(isFull)
    if (splitter.rest() || isReported) continue
    isReported = true
    yield { kind: "too long" }
  }
  const last = toStreamLine(splitter.rest())
  if (!isReported && isFull(last)) yield last
}

function toStreamLine(line: Buffer | undefined): StreamLine {
  return line ? { kind: "line", text: line.toString("utf8").trim() } : { kind: "too long" }
}

function isFull(line: StreamLine): boolean {
  return line.kind !== "line" || line.text !== ""
}
