import { installPeer } from "../../peers/install-peer.ts"
import { mem0 as mem0Peer } from "../../peers/mem0.ts"
import { memorix as memorixPeer } from "../../peers/memorix.ts"
import type { Peer } from "../../peers/peer.ts"
import { serverMemory as serverMemoryPeer } from "../../peers/server-memory.ts"
import type { Arm } from "../arm.ts"
import type { Vectors } from "../vectors.ts"
import { mem0 } from "./mem0.ts"
import { memorix } from "./memorix.ts"
import { serverMemory } from "./server-memory.ts"

/** Other memories, driven through what they offer to the public; one that cannot be installed fails when it is opened. */
export async function peerArms(cache: string, vectors: Vectors): Promise<Arm[]> {
  return [
    await armOf(cache, mem0Peer, (folder) => mem0(folder, vectors)),
    await armOf(cache, serverMemoryPeer, serverMemory),
    await armOf(cache, memorixPeer, memorix),
  ]
}

async function armOf(cache: string, { name, packages }: Peer, make: (folder: string) => Arm): Promise<Arm> {
  const installed = await installPeer(cache, name, packages)
  if (installed.kind === "installed") return make(installed.folder)
  return { ...make(cache), open: () => Promise.reject(new Error(`not installed: ${installed.reason}`)) }
}
