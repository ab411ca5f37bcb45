import { statSync } from "node:fs"
import { join } from "node:path"
import { listFolder } from "../disk/text-files.ts"
import type { FileChange, FileMove } from "./change.ts"
import { bytesOf } from "./change-plan.ts"
import { excludedFolders } from "./team-files.ts"
import type { StoreFolder } from "./team-folder.ts"

/** The size of a team folder without Drey's own files, backups and sessions. */
export type TidyMetrics = {
  totalFiles: number
  totalBytes: number
  historyBytes: number
  logBytes: number
  decisionBytes: number
  inboxFiles: number
}

/** The size of the decisions and an agent's own history together. */
export type AgentLoad = { agent: string; bytesBefore: number; bytesAfter: number; tokensSaved: number }

type Sizes = ReadonlyMap<string, number>

export function sizesOf(folder: StoreFolder): Map<string, number> {
  const sizes = new Map<string, number>()
  const visit = (below: string) => {
    for (const item of listFolder(join(folder.path, below)) ?? []) {
      const path = below === "" ? item.name : `${below}/${item.name}`
      if (path === ".drey" || excludedFolders.some((name) => name === path)) continue
      if (item.isDirectory()) visit(path)
      else if (item.isFile()) sizes.set(path, statSync(join(folder.path, path), { throwIfNoEntry: false })?.size ?? 0)
    }
  }
  visit("")
  return sizes
}

export function sizesAfter(
  before: Sizes,
  changes: readonly FileChange[],
  moves: readonly FileMove[] = [],
): Map<string, number> {
  const sizes = new Map(before)
  for (const { path, after } of changes) {
    if (after === null) sizes.delete(path)
    else sizes.set(path, bytesOf(after))
  }
  for (const { from, to } of moves) {
    sizes.set(to, sizes.get(from) ?? 0)
    sizes.delete(from)
  }
  return sizes
}

export function measure(sizes: Sizes): TidyMetrics {
  const sum = (pattern: RegExp) =>
    [...sizes].filter(([path]) => pattern.test(path)).reduce((total, [, bytes]) => total + bytes, 0)
  return {
    totalFiles: sizes.size,
    totalBytes: sum(/./),
    historyBytes: sum(/^agents\/.*\/history\.md$/),
    logBytes: sum(/^(?:log|orchestration-log)\//),
    decisionBytes: sum(/^decisions\.md$/),
    inboxFiles: [...sizes.keys()].filter((path) => /^decisions\/inbox\/(?!\.).*\.md$/i.test(path)).length,
  }
}

export function agentLoads(before: Sizes, after: Sizes): AgentLoad[] {
  const histories = [...before.keys()].filter((path) => /^agents\/[^_/][^/]*\/history\.md$/.test(path)).sort()
  return histories.map((history) => {
    const load = (sizes: Sizes) => (sizes.get("decisions.md") ?? 0) + (sizes.get(history) ?? 0)
    const bytesBefore = load(before)
    const bytesAfter = load(after)
    return {
      agent: history.split("/")[1] ?? "",
      bytesBefore,
      bytesAfter,
      tokensSaved: tokensOf(bytesBefore) - tokensOf(bytesAfter),
    }
  })
}

const tokensPerKilobyte = 250

export function tokensOf(bytes: number): number {
  return Math.ceil((bytes / 1024) * tokensPerKilobyte)
}
