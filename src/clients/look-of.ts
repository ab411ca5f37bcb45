import { type BigIntStats, statSync } from "node:fs"

/** Identifies a state of a file; "" if it is missing or not accessible. */
export function lookOf(path: string): string {
  const stats = statsOf(path)
  return stats?.isFile() ? `${stats.ino}.${stats.size}.${stats.mtimeNs}` : ""
}

/** Identifies a file, to detect that another took its place. */
export function fileAt(path: string): string {
  const stats = statsOf(path)
  return stats === undefined ? "" : `${stats.dev}.${stats.ino}`
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined // another program's file: it may be missing, not accessible, or removed meanwhile
  }
}
