const lineFeed = 0x0a
const closingBrace = 0x7d

/** A line without its end, or `undefined` where it was too long to be kept; counted from 1. */
export type TakeLine = (line: Buffer | undefined, number: number) => void

export type LineCutter = {
  /** Hands over every line that is complete now. The bytes may be reused afterwards. */
  push(bytes: Buffer, take: TakeLine): void
  /**
   * What stands after the last line end, when it could be a whole record: a client may be about to write the line end.
   */
  unended(): Buffer | undefined
  /** Counts what `unended` gave as read. */
  takeUnended(): void
  /** The bytes and the line ends before the first line that was not handed over. */
  position(): { offset: number; line: number }
}

/** Cuts pieces of a file, which end anywhere, into lines; of a line longer than `longest` nothing is kept. */
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
