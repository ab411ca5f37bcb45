import { writeSync } from "node:fs"

/** Writes a text to stdout, the fastest way. */
export function printNow(text: string, leave = () => {}): void {
  const rest = writeNow(Buffer.from(text))
  if (rest.length === 0) leave()
  else process.stdout.on("error", leave).write(rest, leave)
}

/**
 * Node's own stream takes longer to create than to write to. Returns what could not be written yet: the pipe is full and must not block.
 */
function writeNow(text: Buffer): Buffer {
  let rest = text
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
  } catch {
    return rest // the stream waits, or reports the same error
  }
  return rest
}
