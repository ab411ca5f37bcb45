import type { Arm } from "../arm.ts"
import type { Vectors } from "../vectors.ts"
import { installPeers } from "./install-peers.ts"
import { mem0 } from "./mem0.ts"
import { memorix } from "./memorix.ts"
import { serverMemory } from "./server-memory.ts"

/** Other memories, driven through what they offer to the public; one that cannot be installed fails when it is opened. */
export async function peerArms(folder: string, vectors: Vectors): Promise<Arm[]> {
  const installed = await installPeers(folder)
  const arms = [mem0(folder, vectors), serverMemory(folder), memorix(folder)]
  if (installed.kind === "installed") return arms
  return arms.map((arm) => ({ ...arm, open: () => Promise.reject(new Error(`not installed: ${installed.reason}`)) }))
}
