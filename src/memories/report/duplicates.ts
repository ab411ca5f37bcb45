/** Texts that repeat an earlier one; numbers are positions in the list. */
export type Duplicate = { kind: "exact" | "near"; of: number; at: number }

/** Turns a text into a unit vector. */
export type EmbedTexts = (text: string) => Float32Array | undefined

/** Measured on pairs of sentences: paraphrases are above, other topics below. */
const nearest = 0.85
/** Vectors this near differ in about 45 of 256 signs; beyond this limit the product is not computed. */
const mostSigns = 80
const mostCompared = 20_000

/**
 * Finds copies, each with its first original: word for word, or by meaning. Different numbers or a negation make a
 * different meaning.
 */
export function findDuplicates(texts: readonly string[], embed: EmbedTexts): Duplicate[] {
  const isCompared = areCompared(texts)
  const duplicates: Duplicate[] = []
  const firstOf = new Map<string, number>()
  const originals: Original[] = []
  for (const [at, text] of texts.entries()) {
    const key = normalize(text)
    if (key === "") continue
    const of = firstOf.get(key)
    if (of !== undefined) {
      duplicates.push({ kind: "exact", of, at })
      continue
    }
    firstOf.set(key, at)
    if (!isCompared) continue
    const original = describe(text, at, embed)
    if (!original) continue
    const like = originals.find((earlier) => isNear(earlier, original))
    if (like) duplicates.push({ kind: "near", of: like.at, at })
    else originals.push(original)
  }
  return duplicates
}

/** Whether texts are also compared by meaning. Longer lists are not: the number of pairs is quadratic. */
export function areCompared(texts: { length: number }): boolean {
  return texts.length <= mostCompared
}

type Original = { at: number; vector: Float32Array; signs: Uint32Array; figures: string; isNegated: boolean }

function describe(text: string, at: number, embed: EmbedTexts): Original | undefined {
  const vector = embed(text)
  if (!vector) return undefined
  const signs = new Uint32Array(Math.ceil(vector.length / 32))
  for (let index = 0; index < vector.length; index++)
    if ((vector[index] ?? 0) > 0) signs[index >> 5] = (signs[index >> 5] ?? 0) | (1 << (index & 31))
  const figures = [...new Set(text.match(/\d+(?:[.:]\d+)*/g))].sort().join(" ")
  return { at, vector, signs, figures, isNegated: negation.test(text) }
}

const negation = /\b(?:not|never|no|avoid|without|instead|rather|over|stop)\b|n['’]t\b/i

function isNear(one: Original, other: Original): boolean {
  if (one.figures !== other.figures || one.isNegated !== other.isNegated) return false
  let different = 0
  for (let index = 0; index < one.signs.length; index++)
    different += countBits((one.signs[index] ?? 0) ^ (other.signs[index] ?? 0))
  if (different > mostSigns) return false
  let product = 0
  for (let index = 0; index < one.vector.length; index++)
    product += (one.vector[index] ?? 0) * (other.vector[index] ?? 0)
  return product >= nearest
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

function normalize(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")
}
