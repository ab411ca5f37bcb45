import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export type Installed = { package: string; version: string }

/** Installs from npm what is not in the folder yet, in exactly these versions, and gives the folder of their programs. */
export function installClients(folder: string, wanted: readonly Installed[]): string {
  mkdirSync(folder, { recursive: true })
  const missing = wanted.filter(({ package: name, version }) => versionOf(folder, name) !== version)
  const names = missing.map(({ package: name, version }) => `${name}@${version}`)
  if (names.length > 0) {
    console.log(`Installing ${names.join(", ")}…`)
    const options = ["--no-audit", "--no-fund", "--loglevel=error", "--save-exact"]
    execFileSync("npm", ["install", "--prefix", folder, ...options, ...names], {
      stdio: ["ignore", "inherit", "inherit"],
      shell: process.platform === "win32",
    })
  }
  return join(folder, "node_modules", ".bin")
}

function versionOf(folder: string, name: string): string | undefined {
  const path = join(folder, "node_modules", name, "package.json")
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined
}
