const mostTries = 400

/** Takes out of a failing input what it does not need to fail. */
export async function shrink(input: Buffer, stillFails: (input: Buffer) => Promise<boolean>): Promise<Buffer> {
  let smallest = input
  let tries = 0
  for (let piece = Math.ceil(input.length / 2); piece >= 1; piece = Math.floor(piece / 2)) {
    for (let at = 0; at < smallest.length && tries < mostTries; ) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + piece)])
      tries++
      if (shorter.length < smallest.length && (await stillFails(shorter))) smallest = shorter
      else at += piece
    }
  }
  return smallest
}
