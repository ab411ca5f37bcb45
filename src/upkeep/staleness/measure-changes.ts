import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { blobIdsOf, readBlobs } from "./read-blobs.ts"
import type { Checkout } from "./read-checkout.ts"
import { dayOf, type Timeline } from "./timeline.ts"

/** How much of a file is left since it was written about: `kept` of its `lines`, not counting blank ones. */
export type FileChange = { kept: number; lines: number; day: string }

const limits = { mostBytes: 512 * 1024, mostTogether: 64 * 1024 * 1024 }
const fewestLines = 10
const mostKept = 0.5

/** How each file has changed since a time in milliseconds; undefined if it has not changed much, or that is unknown. */
export async function measureChanges(
  checkout: Checkout,
  asked: readonly { path: string; at: number }[],
  timeline: Timeline,
): Promise<(FileChange | undefined)[]> {
  if (!checkout.git || asked.length === 0) return asked.map(() => undefined)
  const { root, files } = checkout
  const commitAt = await timeline()
  const commits = asked.map(({ at }) => commitAt(at))
  const names = asked.map(({ path }) => files.get(path) ?? path)
  const then = await blobIdsOf(
    root,
    names.map((name, index) => `${commits[index]?.id ?? "HEAD"}:${name}`),
  )
  const head = await blobIdsOf(
    root,
    names.map((name) => `HEAD:${name}`),
  )
  const isChanged = (index: number) => then[index] !== undefined && then[index] !== head[index]
  const old = new Map<string, string[]>()
  const wanted = then.filter((blob, index) => blob !== undefined && isChanged(index)) as string[]
  await readBlobs(root, wanted, limits, (blob, bytes) => old.set(blob, linesOf(bytes)))
  const now = new Map<string, Map<string, number>>()
  const changes: (FileChange | undefined)[] = []
  for (const [index, name] of names.entries()) {
    const lines = isChanged(index) ? old.get(then[index] ?? "") : undefined
    if (!lines || lines.length < fewestLines) {
      changes.push(undefined)
      continue
    }
    const current = now.get(name) ?? countLines(await readLines(join(root, name)))
    now.set(name, current)
    const kept = countKept(lines, current)
    const day = dayOf(commits[index]?.at ?? 0)
    changes.push(kept / lines.length < mostKept ? { kept, lines: lines.length, day } : undefined)
  }
  return changes
}

async function readLines(path: string): Promise<string[]> {
  try {
    return linesOf(await readFile(path))
  } catch {
    return [] // deleted since it was listed
  }
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
}

function countLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

function countKept(lines: readonly string[], current: ReadonlyMap<string, number>): number {
  let kept = 0
  for (const [line, times] of countLines(lines)) kept += Math.min(times, current.get(line) ?? 0)
  return kept
}
