import { deflateSync, inflateSync } from "node:zlib"
import { expect, test } from "vitest"
import { shrinkPng } from "./shrink-png.ts"

test("a picture of few colours keeps each of them, whatever filters its lines were written with", () => {
  const lines = [
    [0, 255, 0, 0, 0, 0, 255], // red, blue
    [1, 255, 0, 0, 1, 0, 255], // red, blue as differences from the left
    [2, 0, 0, 0, 0, 0, 0], // the same as above
  ]
  const shrunk = shrinkPng(png(2, 3, 2, Buffer.from(lines.flat())))
  const palette = chunk(shrunk, "PLTE")
  const rows = inflateSync(chunk(shrunk, "IDAT"))
  const colorAt = (row: number, column: number) => {
    const index = rows[row * 3 + 1 + column] ?? 0
    return [...palette.subarray(index * 3, index * 3 + 3)]
  }
  for (const row of [0, 1, 2]) {
    expect(colorAt(row, 0)).toEqual([255, 0, 0])
    expect(colorAt(row, 1)).toEqual([0, 0, 255])
  }
})

test("a picture of many colours has 256 at most, each near to what it was", () => {
  const width = 1000
  const line = Array.from({ length: width }, (_, at) => [at % 256, (at >> 2) % 256, 128]).flat()
  const shrunk = shrinkPng(png(width, 1, 2, Buffer.from([0, ...line])))
  const palette = chunk(shrunk, "PLTE")
  expect(palette.length).toBeLessThanOrEqual(256 * 3)
  const rows = inflateSync(chunk(shrunk, "IDAT"))
  const far = Array.from({ length: width }, (_, at) => {
    const index = (rows[at + 1] ?? 0) * 3
    return Math.hypot(...[0, 1, 2].map((part) => (palette[index + part] ?? 0) - (line[at * 3 + part] ?? 0)))
  })
  expect(Math.max(...far)).toBeLessThan(24)
})

test("a picture in another format is refused", () => {
  expect(() => shrinkPng(png(1, 1, 6, Buffer.from([0, 1, 2, 3, 4])))).toThrow(/Not a PNG with eight bits/)
})

function png(width: number, height: number, colorType: number, raw: Buffer): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, colorType], 8)
  const chunks = [
    { type: "IHDR", data: head },
    { type: "IDAT", data: deflateSync(raw) },
  ]
  return Buffer.concat([
    Buffer.alloc(8),
    ...chunks.flatMap(({ type, data }) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(data.length)
      return [length, Buffer.from(type), data, Buffer.alloc(4)]
    }),
  ])
}

function chunk(file: Buffer, type: string): Buffer {
  const at = file.indexOf(type)
  return file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4))
}
