import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { drey } from "./drey.ts"
import { type InstalledPeer, installPeer, measureInstallation } from "./install-peer.ts"
import { mastra } from "./mastra.ts"
import { mem0 } from "./mem0.ts"
import { memorix } from "./memorix.ts"
import type { Peer } from "./peer.ts"
import { serverMemory } from "./server-memory.ts"

export type ReadyPeer = Peer & { version: string; installed: Extract<InstalledPeer, { kind: "installed" }> }

export const allPeers: readonly Peer[] = [drey, serverMemory, mem0, memorix, mastra]

/** Installs those that were chosen into folders of their own; reports why one cannot be installed. */
export async function installPeers(cache: string, chosen: readonly Peer[]): Promise<ReadyPeer[]> {
  const ready: ReadyPeer[] = []
  for (const peer of chosen) {
    const { name, packages } = peer
    const installed = peer === drey ? installOwn(cache) : await installPeer(cache, name, packages)
    if (installed.kind === "missing") console.log(`${name} is left out: ${installed.reason}.\n`)
    else ready.push({ ...peer, version: versionOf(peer, installed.folder), installed })
  }
  return ready
}

/** Packs what would be published and installs that, as on a fresh machine. */
function installOwn(cache: string): InstalledPeer {
  const folder = join(cache, "drey")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const tarball = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    encoding: "utf8",
  })
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  execFileSync("npm", ["install", "--no-audit", "--no-fund", join(folder, tarball.trim())], {
    cwd: folder,
    stdio: "pipe",
  })
  return measureInstallation(folder)
}

function versionOf({ name, packages }: Peer, folder: string): string {
  const [first = name.toLowerCase()] = Object.keys(packages)
  const manifest = join(folder, "node_modules", first, "package.json")
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : "unknown"
}
