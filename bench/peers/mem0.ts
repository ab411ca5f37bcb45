import { startLibrary } from "./library-process.ts"
import { fillByWriting, type Peer, type Place } from "./peer.ts"

const start = (place: Place) => startLibrary("mem0-process.mjs", place, false)

/** mem0 as a library, without its language model. */
export const mem0: Peer = {
  name: "mem0",
  packages: { mem0ai: "3.3.1" },
  use: "as a library in a process of its own, `infer: false`: without its language model; vectors are Drey's, from an endpoint on loopback; its own store in SQLite; filled one by one; it has nothing like a context",
  start,
  fill: async (place, entries, from, signal) => fillByWriting(await start(place), entries, from, signal),
}
