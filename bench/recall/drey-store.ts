import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/index/embedders/embedder.ts"
import type { StaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import type { IndexStore, Item } from "../../src/index/index-store.ts"
import { sqliteIndex } from "../../src/index/sqlite-index.ts"
import type { RecallParts } from "../../src/recall/recall-parts.ts"
import type { Document, Store } from "./data.ts"

export type Embedders = {
  /** The static table's; without it words alone decide. */
  table?: StaticEmbedder
  /** MiniLM's. */
  deep?: Embedder
}

/** An index of the store's documents in a file of its own, and what recall needs to ask it. */
export async function openDreyStore(
  store: Store,
  { table, deep }: Embedders,
): Promise<{ parts: RecallParts; close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "drey-bench-index-"))
  const index = await sqliteIndex(join(folder, "index.db"), {
    embedder: table && { id: table.id, embed: (texts) => texts.map(table.embedNow) },
    minilm: deep?.id,
  })
  await index.update([...originsOf(store)].map(([key, items]) => ({ key, stamp: "", items })))
  if (deep) await addVectors(index, deep)
  const parts: RecallParts = {
    index,
    embedNow: table?.embedNow,
    embedDeep: deep && (async (text) => (await deep.embed([text]))[0] as Float32Array),
    countTokens: (text) => text.length,
    now: () => new Date(0),
  }
  const close = async () => {
    await index.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { parts, close }
}

async function addVectors(index: IndexStore, deep: Embedder): Promise<void> {
  for (;;) {
    const missing = await index.missingVectors("minilm", 500)
    if (missing.length === 0) return
    const vectors = await deep.embed(missing.flatMap(({ passages }) => passages))
    let from = 0
    const byItem = missing.map(({ row, hash, passages }) => {
      from += passages.length
      return { row, hash, vectors: vectors.slice(from - passages.length, from) }
    })
    await index.putVectors("minilm", byItem)
  }
}

function originsOf({ documents }: Store): Map<string, Item[]> {
  const origins = new Map<string, Item[]>()
  for (const document of [...documents].sort((one, other) => one.position - other.position)) {
    const key = isWholeConversation(document) ? `${document.origin}/${document.id}` : document.origin
    origins.set(key, [...(origins.get(key) ?? []), toItem(document)])
  }
  return origins
}

/** The record of a session as one text is a file of its own, as Drey would keep it. */
function isWholeConversation({ title, origin }: Document): boolean {
  return title === "" && origin.startsWith("conv-")
}

/** What has no title and comes from a session is something said in a conversation; the rest are records. */
export function isSaid({ title, origin }: Document): boolean {
  return title === "" && /^(?:session |conv-)/.test(origin)
}

/** As a decision log has it: active, and nothing but its file speaks for it. */
export function toItem(document: Document): Item {
  const { id, title, text, at, agent, origin, supersedes = [] } = document
  return {
    id,
    source: isSaid(document) ? "session" : "decisions",
    type: isSaid(document) ? "note" : "decision",
    class: "LOCAL",
    load: "ON-DEMAND",
    title,
    text,
    tags: [],
    author: "",
    contributors: [],
    agent,
    scope: "team",
    pathPrefix: undefined,
    path: origin,
    line: 1,
    at,
    expires: undefined,
    governed: false,
    supersedes,
    supersededBy: [],
    payload: '{"kind":"note"}',
  }
}
