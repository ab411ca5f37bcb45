import { startLibrary } from "./library-process.ts"
import type { Peer, Place } from "./peer.ts"

/** So many messages at once when a store is filled. */
const chunk = 100

const start = (place: Place) => startLibrary("mastra-process.mjs", place, true)

/** Mastra's memory on LibSQL: semantic recall of messages. */
export const mastra: Peer = {
  name: "Mastra",
  packages: { "@mastra/memory": "0.15.13", "@mastra/libsql": "0.16.4", "@mastra/core": "0.24.9" },
  use: "the newest that runs on Node 20 (later ones want 22.13); as a library in a process of its own, on LibSQL; a note is a message, found by semantic recall with Drey's vectors from an endpoint on loopback; filled 100 at once; a context is a search; without working memory, which needs a language model",
  start,
  async fill(place, entries, from, signal) {
    const { writeMany, close } = await start(place)
    let number = from
    for (; number < entries.length && !signal.aborted; number += chunk)
      await writeMany(entries.slice(number, number + chunk).map(({ title, text }) => ({ title, text })))
    await close()
    return Math.min(number, entries.length)
  },
}
