import { type Dirent, opendirSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../disk/text-files.ts"
import type { LocatedTeam } from "./tool-guards.ts"

/** How much of a team folder a hook reads by itself, and how long it waits for another process to read more. */
export type HookLimits = { bytes: number; files: number; waitMs: number }

/** A megabyte of short entries takes about a second and a half to index, two thousand files half a second. */
export const hookLimits: HookLimits = { bytes: 1024 * 1024, files: 2000, waitMs: 2500 }

/** `large`: too large for a hook to read; `crowded`: even checking which files changed takes too long. */
export type TeamSize = "small" | "large" | "crowded"

/** Where memory is read from: below the team folders, and in the repository. */
const teamFolders = [".squad", ".ai-team"]
const teamParts = ["decisions", "agents", "memory", "skills"]
const skillParts = [".copilot/skills", ".github/skills"]

/** Measures by names and sizes alone, and stops as soon as a limit is exceeded. */
export function sizeOfTeam({ root }: LocatedTeam, limits: HookLimits): TeamSize {
  const seen = new Set<string>()
  let bytes = 0
  let files = 0
  const visit = (folder: string, isDeep: boolean): void => {
    for (const item of namesIn(folder, limits.files - files)) {
      files++
      const path = join(folder, item.name)
      const status = statusOf(path)
      if (status?.isFile()) bytes += status.size
      if (!isDeep || !status?.isDirectory() || files > limits.files) continue
      if (!item.isSymbolicLink() || isFirst(path)) visit(path, isDeep)
    }
  }
  /** A link may lead to a folder above it, in an endless loop. */
  const isFirst = (path: string) => {
    const real = ifAllowed(() => realpathSync.native(path)) ?? path
    if (seen.has(real)) return false
    seen.add(real)
    return true
  }
  for (const folder of teamFolders.map((name) => join(root, name))) {
    visit(folder, false)
    for (const part of teamParts) visit(join(folder, part), true)
  }
  for (const part of skillParts) visit(join(root, part), true)
  if (files > limits.files) return "crowded"
  return bytes > limits.bytes ? "large" : "small"
}

/** At most one more than asked for: listing a folder with a million names takes seconds. */
function namesIn(path: string, most: number): Dirent[] {
  const folder = most >= 0 && statusOf(path)?.isDirectory() ? ifAllowed(() => opendirSync(path)) : undefined
  if (!folder) return []
  const items: Dirent[] = []
  try {
    for (let item = folder.readSync(); item && items.length <= most; item = folder.readSync()) items.push(item)
  } finally {
    folder.closeSync()
  }
  return items
}

const statusOf = (path: string) => ifAllowed(() => statSync(path, { throwIfNoEntry: false }))

/** Undefined for what is not accessible or has been removed; the reader reports it. */
function ifAllowed<Value>(look: () => Value): Value | undefined {
  try {
    return look()
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"].includes(codeOf(error) ?? "")) return undefined
    throw error
  }
}
