import { slotOf } from "../../src/recall/token-count.ts"

/** More make the file larger, fewer make a miss slow: lookups continue to the next free slot. */
const slotsPerToken = 1.6

/** The tokens, given in the vocabulary's order, as the file that `openTokenTable` reads. */
export function packTokens(tokens: Uint8Array[]): Uint8Array {
  const slots = new Uint32Array(Math.ceil(tokens.length * slotsPerToken))
  let offset = 0
  for (const token of tokens) {
    let slot = slotOf(token, 0, token.length, slots.length)
    while (slots[slot]) slot = (slot + 1) % slots.length
    if (token.length > 255) throw new Error(`A token of ${token.length} bytes does not fit a slot.`)
    slots[slot] = offset * 256 + token.length
    offset += token.length
  }
  return Buffer.concat([new Uint8Array(Uint32Array.of(slots.length).buffer), new Uint8Array(slots.buffer), ...tokens])
}
