import type { MadeEntry } from "../recall-speed/made-entries.ts"
import type { Packages } from "./install-peer.ts"

/** A memory that is measured: Drey, or another that comes from npm and needs neither a key nor the network. */
export type Peer = {
  name: string
  /** What to install from npm; nothing for Drey, which is packed from this repository. */
  packages: Packages
  /** How it is used here, and what of it is not: a line for the reader of the tables. */
  use: string
  start(place: Place): Promise<PeerProcess>
  /** Adds the entries from number `from` on, by the peer's fastest way, until the signal; returns how many there are then. */
  fill(place: Place, entries: readonly MadeEntry[], from: number, signal: AbortSignal): Promise<number>
}

export type Place = {
  /** A store of this peer: its working directory and its HOME. */
  folder: string
  /** Where its packages are installed. */
  packages: string
  /** An endpoint for embeddings in the way of OpenAI, for those that need one; the vectors are Drey's own. */
  embeddings: { url: string; dimensions: number }
}

export type Note = { title: string; text: string }

/** A peer that runs, in a process of its own. */
export type PeerProcess = {
  pid: number
  /** Resolves when the peer acknowledges it. */
  write(note: Note): Promise<void>
  search(query: string): Promise<string>
  /** What it hands to an agent that begins a task; undefined where it has nothing of the kind. */
  context: ((task: string) => Promise<string>) | undefined
  /** Which of these words occur in what it stores. */
  holds(words: readonly string[]): Promise<Set<string>>
  /** The bytes of its list of tools; undefined for a library. */
  toolBytes: (() => Promise<number>) | undefined
  close(): Promise<void>
  /** As `kill -9` does. */
  kill(): Promise<void>
}

/** Those of the words that a search for each of them finds. */
export async function findEach(
  words: readonly string[],
  search: (query: string) => Promise<string>,
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const word of words) if ((await search(word)).includes(word)) found.add(word)
  return found
}

/** Those of the words that occur in a text as whole words. */
export function wordsIn(text: string, words: readonly string[]): Set<string> {
  const there = new Set(text.match(/\w+/g))
  return new Set(words.filter((word) => there.has(word)))
}

/** Fills a peer that has no quicker way by writing one after the other. */
export async function fillByWriting(
  server: PeerProcess,
  entries: readonly MadeEntry[],
  from: number,
  signal: AbortSignal,
): Promise<number> {
  let number = from
  for (; number < entries.length && !signal.aborted; number++) await server.write(entries[number] as MadeEntry)
  await server.close()
  return number
}
