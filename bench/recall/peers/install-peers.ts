import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

/** Other memories, pinned; never among Drey's own packages. */
const dependencies = { "@modelcontextprotocol/server-memory": "2026.8.31", mem0ai: "3.3.1", memorix: "1.0.7" }

export type InstalledPeers = { kind: "installed" } | { kind: "missing"; reason: string }

/** Installs the peers into a folder of their own, once. */
export async function installPeers(folder: string): Promise<InstalledPeers> {
  const wanted = JSON.stringify({ private: true, dependencies })
  const receipt = join(folder, "installed.json") // written last: without it an interrupted installation is begun again
  if (existsSync(receipt) && readFileSync(receipt, "utf8") === wanted) return { kind: "installed" }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), wanted)
  process.stderr.write("installing the peers, which takes some minutes\n")
  try {
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, maxBuffer: 2 ** 26 })
  } catch (error) {
    return { kind: "missing", reason: firstError(error) }
  }
  writeFileSync(receipt, wanted)
  return { kind: "installed" }
}

function firstError(error: unknown): string {
  const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error)
  const lines = output.split("\n").filter((line) => line.includes("npm error"))
  return (lines[0] ?? "npm install failed").trim()
}
