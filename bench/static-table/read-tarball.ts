import { gunzipSync } from "node:zlib"

export type PackedFile = { path: string; text: string }

/** The text files of an npm tarball whose path passes `wanted`, in the tarball's order. */
export function readTarball(tarball: Uint8Array, wanted: (path: string) => boolean): PackedFile[] {
  const bytes = gunzipSync(tarball)
  const files: PackedFile[] = []
  let longName: string | undefined
  for (let at = 0; at + blockSize <= bytes.length; ) {
    const header = bytes.subarray(at, at + blockSize)
    if (header[0] === 0) break
    const size = Number.parseInt(fieldOf(header, 124, 12), 8) || 0
    const content = bytes.subarray(at + blockSize, at + blockSize + size)
    const type = String.fromCharCode(header[156] ?? 0)
    const prefix = fieldOf(header, 345, 155)
    const path: string = longName ?? (prefix ? `${prefix}/` : "") + fieldOf(header, 0, 100)
    longName = undefined
    if (type === "x") longName = /\d+ path=(.*)\n/.exec(content.toString())?.[1]
    else if (type === "L") longName = content.toString().replace(/\0+$/, "")
    else if ((type === "0" || type === "\0") && wanted(path)) files.push({ path, text: content.toString() })
    at += blockSize + Math.ceil(size / blockSize) * blockSize
  }
  return files
}

const blockSize = 512

function fieldOf(header: Buffer, start: number, length: number): string {
  return header
    .subarray(start, start + length)
    .toString()
    .replace(/\0.*$/s, "")
    .trim()
}
