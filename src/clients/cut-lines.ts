const lineFeed = 0x0a
const closingBrace = 0x7d

/** A line without its line break, or `undefined` if it was too long to keep; counted from 1. */
export type TakeLine = (line: Buffer | undefined, number: number) => void

export type LineCutter = {
  /** Passes on every complete line. The bytes may be reused afterwards. */
  push(bytes: Buffer, take: TakeLine): void
  /**
   * The text after the last line break, if it could be a whole record: the client may be about to write the line break.
   */
  unended(): Buffer | undefined
  /** Counts the text of `unended` as read. */
  takeUnended(): void
  /** The bytes and line breaks before the first line that was not passed on. */
  position(): { offset: number; line: number }
}

/** Splits chunks of a file, which end anywhere, into lines; lines longer than `longest` are dropped. */
export function cutLines(from: { offset: number; line: number }, longest: number): LineCutter {
  let { offset, line } = from
  let kept: Buffer[] = []
  let keptBytes = 0

  const keep = (bytes: Buffer) => {
    keptBytes += bytes.length
    if (keptBytes > longest) kept = []
    else if (bytes.length > 0) kept.push(Buffer.from(bytes))
  }
  const whole = (tail: Buffer): Buffer | undefined => {
    if (keptBytes + tail.length > longest) return undefined
    return kept.length === 0 ? tail : Buffer.concat([...kept, tail])
  }

  return {
    push(bytes, take) {
      let start = 0
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        const tail = bytes.subarray(start, end)
        take(whole(tail), ++line)
        offset += keptBytes + tail.length + 1
        kept = []
        keptBytes = 0
        start = end + 1
      }
      keep(bytes.subarray(start))
    },
    unended() {
      if (kept.at(-1)?.at(-1) !== closingBrace) return undefined
      return Buffer.concat(kept)
    },
    takeUnended() {
      offset += keptBytes
      kept = []
      keptBytes = 0
    },
    position: () => ({ offset, line }),
  }
}
