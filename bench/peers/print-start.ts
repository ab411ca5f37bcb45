import { printColumns } from "../recall/print-table.ts"
import { entryMaker } from "../recall-speed/made-entries.ts"
import { median } from "../recall-speed/timing.ts"
import type { ReadyPeer } from "./all-peers.ts"
import type { Places } from "./open-places.ts"
import type { Place } from "./peer.ts"
import { perDrey } from "./per-drey.ts"
import { residentMegabytes } from "./resident-megabytes.ts"
import type { Measure } from "./standing.ts"

type Start = { ready: number; answered: number; idle: number; used: number }

/** From the start of the process to the first answer, with a thousand notes in the store, all in turns. */
export async function printStart(peers: readonly ReadyPeer[], places: Places, runs: number): Promise<Measure[]> {
  const maker = entryMaker(3)
  const entries = Array.from({ length: 1000 }, () => maker.entry())
  const stores = new Map<ReadyPeer, { place: Place; starts: Start[] }>()
  for (const peer of peers) {
    const place = places.make(peer)
    const notes = await peer.fill(place, entries, 0, AbortSignal.timeout(600_000))
    if (notes < entries.length)
      throw new Error(`${peer.name} took in ${notes} of ${entries.length} notes in ten minutes`)
    stores.set(peer, { place, starts: [] })
  }
  const asker = entryMaker(11)
  for (let round = -1; round < runs; round++) {
    for (const [peer, { place, starts }] of stores) {
      const start = await startOnce(peer, place, asker.question())
      if (round >= 0) starts.push(start) // the first fills the caches that later ones have
    }
  }
  console.log(`\n## Start and memory, 1,000 notes, ${runs} starts of each in turns, medians\n`)
  const medianOf = (starts: readonly Start[], of: keyof Start) => median(starts.map((start) => start[of]))
  const own = [...stores].find(([{ name }]) => name === "Drey")?.[1].starts
  const to = (value: number, of: keyof Start) => perDrey(value, own && medianOf(own, of))
  printColumns([
    [
      "",
      "ready",
      "to Drey",
      "first search answered",
      "slowest",
      "to Drey",
      "memory, idle",
      "after 20 searches",
      "to Drey",
    ],
    ...[...stores].map(([{ name }, { starts }]) => {
      const [ready, answered, idle, used] = (["ready", "answered", "idle", "used"] as const).map((of) =>
        medianOf(starts, of),
      ) as [number, number, number, number]
      const slowest = Math.max(...starts.map((start) => start.answered))
      const ms = (value: number) => `${value.toFixed(0)} ms`
      const mb = (value: number) => `${value.toFixed(0)} MB`
      return [
        name,
        ms(ready),
        to(ready, "ready"),
        ms(answered),
        ms(slowest),
        to(answered, "answered"),
        mb(idle),
        mb(used),
        to(used, "used"),
      ]
    }),
  ])
  const all = (of: keyof Start) => new Map([...stores].map(([{ name }, { starts }]) => [name, medianOf(starts, of)]))
  return [
    { what: "Start to ready", unit: "ms", of: all("ready") },
    { what: "Start to the first search answered", unit: "ms", of: all("answered") },
    { what: "Memory when idle", unit: "MB", of: all("idle") },
    { what: "Memory after 20 searches of 1,000 notes", unit: "MB", of: all("used") },
  ]
}

async function startOnce(peer: ReadyPeer, place: Place, question: string): Promise<Start> {
  const began = performance.now()
  const running = await peer.start(place)
  const ready = performance.now() - began
  const idle = residentMegabytes(running.pid)
  await running.search(question)
  const answered = performance.now() - began
  for (let number = 0; number < 20; number++) await running.search(question)
  const used = residentMegabytes(running.pid)
  await running.close()
  return { ready, answered, idle, used }
}
