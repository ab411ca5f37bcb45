import { deflateSync, inflateSync } from "node:zlib"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const mostColors = 256

/** The same picture, as a browser writes it (eight bits of red, green and blue), with a palette: a third of the size, and text stays sharp. */
export function shrinkPng(file: Buffer): Buffer {
  const chunks = readChunks(file)
  const head = chunks.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(0)
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  if (head[8] !== 8 || head[9] !== 2) throw new Error("Not a PNG with eight bits of red, green and blue.")
  const packed = Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data))
  const pixels = unfilter(inflateSync(packed), width * 3, height)
  const { palette, indexOf } = choosePalette(countColors(pixels))
  const rows = Buffer.alloc((width + 1) * height)
  for (let at = 0; at < width * height; at++)
    rows[at + Math.floor(at / width) + 1] = indexOf.get(pixels.readUIntBE(at * 3, 3)) ?? 0
  const indexed = Buffer.from(head)
  indexed[9] = 3
  const colors = Buffer.concat(palette.map((color) => Buffer.from([color >> 16, (color >> 8) & 255, color & 255])))
  const data = deflateSync(rows, { level: 9, memLevel: 9 })
  return Buffer.concat([
    signature,
    writeChunk("IHDR", indexed),
    writeChunk("PLTE", colors),
    writeChunk("IDAT", data),
    writeChunk("IEND", Buffer.alloc(0)),
  ])
}

function readChunks(file: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = []
  for (let at = signature.length; at < file.length; ) {
    const length = file.readUInt32BE(at)
    chunks.push({ type: file.toString("latin1", at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return chunks
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(checksum(body), body.length + 4)
  return chunk
}

/** CRC-32; Node's own is not in every Node that this must run on. */
function checksum(bytes: Buffer): number {
  let value = ~0
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0)
  }
  return ~value >>> 0
}

/** A PNG's lines are kept as differences from what is left of them and above. */
function unfilter(raw: Buffer, stride: number, height: number): Buffer {
  const pixels = Buffer.alloc(stride * height)
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)]
    for (let at = 0; at < stride; at++) {
      const place = row * stride + at
      const left = at >= 3 ? (pixels[place - 3] ?? 0) : 0
      const above = row > 0 ? (pixels[place - stride] ?? 0) : 0
      const corner = at >= 3 && row > 0 ? (pixels[place - stride - 3] ?? 0) : 0
      const guesses = [0, left, above, (left + above) >> 1, nearest(left, above, corner)]
      pixels[place] = (raw[row * (stride + 1) + 1 + at] ?? 0) + (guesses[filter ?? 0] ?? 0)
    }
  }
  return pixels
}

function nearest(left: number, above: number, corner: number): number {
  const [toLeft, toAbove, toCorner] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs) as [
    number,
    number,
    number,
  ]
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

function countColors(pixels: Buffer): Map<number, number> {
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += 3) {
    const color = pixels.readUIntBE(at, 3)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  return counts
}

/** The commonest colours that differ enough; every other one becomes the nearest of them. */
function choosePalette(counts: Map<number, number>): { palette: number[]; indexOf: Map<number, number> } {
  const colors = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color)
  let palette: number[] = []
  for (let least = 0; palette.length === 0; least += 8) {
    palette = []
    for (const color of colors)
      if (palette.length <= mostColors && palette.every((known) => distance(known, color) > least)) palette.push(color)
    if (palette.length > mostColors) palette = []
  }
  const indexOf = new Map(
    colors.map((color) => {
      const distances = palette.map((known) => distance(known, color))
      return [color, distances.indexOf(Math.min(...distances))]
    }),
  )
  return { palette, indexOf }
}

function distance(one: number, other: number): number {
  const [red, green, blue] = [16, 8, 0].map((bits) => ((one >> bits) & 255) - ((other >> bits) & 255)) as [
    number,
    number,
    number,
  ]
  return red * red + green * green + blue * blue
}
