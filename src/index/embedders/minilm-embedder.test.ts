import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { findAssets } from "./embedder.ts"
import { openMinilmEmbedder } from "./minilm-embedder.ts"
import { openStaticEmbedder } from "./static-embedder.ts"

const shipped = join(findAssets() ?? "", "projection-minilm-pca256-v1.bin")
const folder = mkdtempSync(join(tmpdir(), "drey-minilm-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const real = await openMinilmEmbedder()

test.skipIf(real.kind === "unavailable")(
  "MiniLM's vectors are of unit length and in the space of the static table",
  async () => {
    const table = openStaticEmbedder()
    if (real.kind === "unavailable" || table.kind === "unavailable") throw new Error("not available")
    const texts = [
      "Credentials live in the vault; nothing secret may be committed",
      "Uploaded images are resized and converted",
    ]
    const [secrets, images] = await real.embedder.embed(texts)
    expect(secrets && dot(secrets, secrets)).toBeCloseTo(1, 5)
    const [own, other] = [secrets, images].map((vector) => dot(vector, table.embedder.embedNow(texts[0] ?? "")))
    expect(own).toBeGreaterThan(0.6)
    expect(other).toBeLessThan(0.3)
    expect(real.embedder.dimensions).toBe(256)
  },
)

test("more texts than a batch are returned in order", async () => {
  const opened = await openMinilmEmbedder({
    load: async () => ({ dimensions: 384, embed: async (texts) => texts.map(oneHot) }),
  })
  if (opened.kind === "unavailable") throw new Error(opened.reason)
  const texts = Array.from({ length: 40 }, (_, index) => String(index))
  const together = await opened.embedder.embed(texts)
  const apart = await Promise.all(texts.map(async (text) => (await opened.embedder.embed([text]))[0]))
  expect(together).toEqual(apart)
})

test("missing packages are reported as an outcome", async () => {
  const missing = async () => {
    const name = `./${"not-there"}.mjs` // so that no tool looks for it
    return (await import(/* @vite-ignore */ name)).engine
  }
  expect(await openMinilmEmbedder({ load: missing })).toEqual({
    kind: "unavailable",
    reason: "MiniLM is not installed",
  })
})

test("an engine that does not run here is an outcome with its reason", async () => {
  const broken = async () => {
    throw new Error("WebAssembly.Memory(): could not allocate memory\nat …")
  }
  expect(await openMinilmEmbedder({ load: broken })).toEqual({
    kind: "unavailable",
    reason: "MiniLM could not be loaded: WebAssembly.Memory(): could not allocate memory",
  })
})

test("a model that the projection was not made for is an outcome", async () => {
  const opened = await openMinilmEmbedder({ load: async () => ({ dimensions: 512, embed: async () => [] }) })
  expect(opened).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("512 dimensions") })
})

test.each([
  ["a missing projection", undefined, "cannot be read (ENOENT)"],
  ["an empty projection", Buffer.alloc(0), "is too short"],
  ["a foreign projection", Buffer.alloc(64), "is not a projection"],
  ["a projection cut short", readFileSync(shipped).subarray(0, 4000), "wrong length"],
])("%s is an outcome with its reason", async (name, content, reason) => {
  const projection = join(folder, `${name}.bin`)
  if (content) writeFileSync(projection, content)
  expect(await openMinilmEmbedder({ projection })).toMatchObject({
    kind: "unavailable",
    reason: expect.stringContaining(reason),
  })
})

function oneHot(text: string): Float32Array {
  const vector = new Float32Array(384)
  vector[Number(text)] = 1
  return vector
}

function dot(left: Float32Array | undefined, right: Float32Array | undefined): number {
  return (left ?? new Float32Array()).reduce((sum, value, index) => sum + value * (right?.[index] ?? 0), 0)
}
