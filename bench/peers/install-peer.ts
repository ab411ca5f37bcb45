import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { sizeOf } from "../../scripts/package/size-of.ts"

/** By package, the version: pinned, and never among Drey's own packages. */
export type Packages = Readonly<Record<string, string>>

export type InstalledPeer =
  | { kind: "installed"; folder: string; megabytes: number; packages: number; withScripts: number }
  | { kind: "missing"; reason: string }

/** Installs a peer into a folder of its own, once. */
export async function installPeer(cache: string, name: string, wanted: Packages): Promise<InstalledPeer> {
  const folder = join(cache, name)
  const manifest = JSON.stringify({ private: true, dependencies: wanted })
  const receipt = join(folder, "installed.json") // written last: without it an interrupted installation is begun again
  const known = existsSync(receipt) ? JSON.parse(readFileSync(receipt, "utf8")) : undefined
  if (known?.manifest === manifest) return { ...known.installation, folder }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), manifest)
  process.stderr.write(`installing ${name}, which may take some minutes\n`)
  try {
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, maxBuffer: 2 ** 26 })
  } catch (error) {
    return { kind: "missing", reason: firstError(error) }
  }
  const installation = measureInstallation(folder)
  writeFileSync(receipt, JSON.stringify({ manifest, installation }))
  return installation
}

/** What is in the folder of an installation, by npm's own record of it. */
export function measureInstallation(folder: string): InstalledPeer {
  const { packages }: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(
    readFileSync(join(folder, "package-lock.json"), "utf8"),
  )
  const present = Object.entries(packages).filter(([path]) => path !== "" && existsSync(join(folder, path)))
  return {
    kind: "installed",
    folder,
    megabytes: sizeOf(join(folder, "node_modules")) / 1e6,
    packages: present.length,
    withScripts: present.filter(([, { hasInstallScript }]) => hasInstallScript).length,
  }
}

function firstError(error: unknown): string {
  const output = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error)
  const lines = output.split("\n").filter((line) => line.includes("npm error"))
  return (lines[0] ?? "npm install failed").trim()
}
