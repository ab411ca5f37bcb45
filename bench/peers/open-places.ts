import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import type { ReadyPeer } from "./all-peers.ts"
import { startEmbeddingServer } from "./embedding-server.ts"
import type { Place } from "./peer.ts"

export type Places = {
  /** A new, empty store for a peer. */
  make(peer: ReadyPeer): Place
  close(): void
}

/** Stores in a throw-away folder, and the endpoint that gives vectors to those that have none of their own. */
export async function openPlaces(): Promise<Places> {
  const opened = openStaticEmbedder({ whole: true })
  if (opened.kind === "unavailable") throw new Error(`There are no vectors: ${opened.reason}`)
  const { embedder } = opened
  const endpoint = await startEmbeddingServer(async (texts) => texts.map((text) => embedder.embedNow(text)))
  const root = mkdtempSync(join(tmpdir(), "drey-peers-"))
  let count = 0
  return {
    make({ name, installed }) {
      const folder = join(root, `${++count}-${name}`)
      mkdirSync(join(folder, ".squad"), { recursive: true }) // where Drey keeps a team's memory; no other looks at it
      const embeddings = { url: endpoint.url, dimensions: embedder.embedNow("how many").length }
      return { folder, packages: installed.folder, embeddings }
    },
    close() {
      endpoint.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
