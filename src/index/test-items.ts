import { dimensions, type Item } from "./index-store.ts"

/** For tests: an item with unique content where the test does not set it. */
export function testItem(id: string, given: Partial<Item> = {}): Item {
  return {
    id,
    source: "decisions",
    type: "decision",
    class: "DECISION",
    load: "ALWAYS",
    title: `Title of ${id}`,
    text: `Text of ${id}`,
    tags: [],
    author: "Keaton",
    contributors: [],
    agent: undefined,
    scope: "team",
    pathPrefix: undefined,
    path: ".squad/decisions.md",
    line: 1,
    at: undefined,
    expires: undefined,
    governed: false,
    supersedes: [],
    supersededBy: [],
    payload: "{}",
    ...given,
  }
}

/** For tests: texts with common words are near, others are not. */
export const testEmbedder = {
  id: "test-1",
  embed: (texts: string[]): Float32Array[] => texts.map(testVector),
}

export function testVector(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? ["nothing"]) {
    let state = 7
    for (let at = 0; at < word.length; at++) state = Math.imul(state ^ word.charCodeAt(at), 0x01000193)
    for (let at = 0; at < dimensions; at++) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at
      vector[at] = (vector[at] as number) + (state >> 8) / 2 ** 23
    }
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
