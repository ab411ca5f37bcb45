import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Embeds texts as vectors of unit length; vectors with the same id are comparable. */
export type Embedder = {
  id: string
  dimensions: number
  embed(texts: string[]): Promise<Float32Array[]>
}

/** The vector space shared by the static table and the projected MiniLM. */
export const sharedSpace = { id: "minilm-pca256-v1", dimensions: 256 }

/** Normalizes a vector in place; a zero vector is unchanged. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let square = 0
  for (let index = 0; index < vector.length; index++) square += (vector[index] as number) ** 2
  if (square === 0) return vector
  const scale = 1 / Math.sqrt(square)
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale
  return vector
}

/** The cosine similarity of two vectors of unit length. */
export function cosineSimilarity(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] ?? 0)
  return sum
}

/** The package's folder of assets, wherever this module was bundled to; undefined outside of the package. */
export function findAssets(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    if (isDreyPackage(join(folder, "package.json"))) return join(folder, "assets")
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
}

function isDreyPackage(manifest: string): boolean {
  return existsSync(manifest) && /"name":\s*"drey"/.test(readFileSync(manifest, "utf8"))
}
