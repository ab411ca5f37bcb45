import { type BigIntStats, statSync } from "node:fs"

/** Tells one state of a file from another; "" for one that is not there, or not for us. */
export function lookOf(path: string): string {
  const stats = statsOf(path)
  return stats?.isFile() ? `${stats.ino}.${stats.size}.${stats.mtimeNs}` : ""
}

/** Tells one file from another that was put in its place. */
export function fileAt(path: string): string {
  const stats = statsOf(path)
  return stats === undefined ? "" : `${stats.dev}.${stats.ino}`
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined // another program's file: it may be missing, closed to us, or vanish meanwhile
  }
}
