import { printColumns } from "../recall/print-table.ts"
import type { ReadyPeer } from "./all-peers.ts"
import type { Places } from "./open-places.ts"
import { perDrey } from "./per-drey.ts"
import type { Measure } from "./standing.ts"

/** What each is, and what it takes to have it. */
export async function printInstall(peers: readonly ReadyPeer[], places: Places): Promise<Measure[]> {
  console.log("## What is compared\n")
  for (const { name, version, use } of peers) console.log(`- **${name}** ${version}: ${use}.`)
  console.log("\n## Installation\n")
  const own = peers.find(({ name }) => name === "Drey")?.installed.megabytes
  const toolBytes = new Map<string, number>()
  const rows: string[][] = []
  for (const peer of peers) {
    const tools = await toolBytesOf(peer, places)
    if (tools !== undefined) toolBytes.set(peer.name, tools)
    const { megabytes, packages, withScripts } = peer.installed
    rows.push([
      peer.name,
      `${megabytes.toFixed(0)} MB`,
      perDrey(megabytes, own),
      String(packages),
      String(withScripts),
      tools === undefined ? "none here" : `${(tools / 1000).toFixed(1)} KB`,
    ])
  }
  printColumns([["", "size", "to Drey", "packages", "with install scripts", "tools of its MCP server"], ...rows])
  console.log("\nThe list of tools is sent to a model with every session. Drey's own packages are in its bundle.")
  return [
    {
      what: "Installed size",
      unit: "MB",
      of: new Map(peers.map(({ name, installed }) => [name, installed.megabytes])),
    },
    { what: "Bytes of the list of tools", unit: "", of: toolBytes },
  ]
}

async function toolBytesOf(peer: ReadyPeer, places: Places): Promise<number | undefined> {
  const running = await peer.start(places.make(peer))
  const bytes = await running.toolBytes?.()
  await running.close()
  return bytes
}
