import { boundTokens } from "../../src/recall/token-count.ts"
import { printColumns } from "../recall/print-table.ts"
import { entryMaker, type MadeEntry } from "../recall-speed/made-entries.ts"
import { median, percentile } from "../recall-speed/timing.ts"
import type { ReadyPeer } from "./all-peers.ts"
import type { Places } from "./open-places.ts"
import type { PeerProcess, Place } from "./peer.ts"
import { perDrey } from "./per-drey.ts"
import { residentMegabytes } from "./resident-megabytes.ts"
import type { Measure } from "./standing.ts"

export type SpeedRequest = {
  sizes: readonly number[]
  questions: number
  /** How long one peer may take to be filled to a size, in seconds; who is not done by then is not measured at that size. */
  patience: number
}

type Filled = { peer: ReadyPeer; place: Place; notes: number; seconds: number }

/** Searches and contexts in stores that grow, every peer asked the same in turns. */
export async function printPeerSpeed(
  peers: readonly ReadyPeer[],
  places: Places,
  request: SpeedRequest,
): Promise<Measure[]> {
  const maker = entryMaker(3)
  const entries = Array.from({ length: Math.max(...request.sizes) }, () => maker.entry())
  const measures: Measure[] = []
  let left: Filled[] = peers.map((peer) => ({ peer, place: places.make(peer), notes: 0, seconds: 0 }))
  for (const size of request.sizes) {
    const filled: Filled[] = []
    console.log(`\n## ${size.toLocaleString("en")} notes\n`)
    for (const each of left) {
      const began = performance.now()
      const signal = AbortSignal.timeout(request.patience * 1000)
      const notes = await each.peer.fill(each.place, entries.slice(0, size), each.notes, signal)
      if (notes === size) filled.push({ ...each, notes, seconds: (performance.now() - began) / 1000 })
      else
        console.log(
          `- ${each.peer.name} took more than ${request.patience} s to take them in (${notes.toLocaleString("en")} by then), and is not asked here.\n`,
        )
    }
    measures.push(...(await printSize(filled, entries.slice(0, size), request.questions)))
    left = filled
  }
  return measures
}

type Timing = { times: number[]; tokens: number[] }
type Running = {
  peer: ReadyPeer
  running: PeerProcess
  found: number
  seconds: number
  searches: Timing
  contexts: Timing
}

/** One peer may take so long for all its answers; then it is no longer asked, and n is the number of its answers. */
const longest = 60_000

async function printSize(filled: readonly Filled[], entries: readonly MadeEntry[], count: number): Promise<Measure[]> {
  const size = entries.length
  const asked: Running[] = []
  for (const { peer, place, seconds } of filled) {
    const running = await peer.start(place)
    const found = await countFound(running, entries)
    await running.context?.("Look around") // what is loaded at the first question is not counted below
    const nothing = () => ({ times: [], tokens: [] })
    asked.push({ peer, running, found, seconds, searches: nothing(), contexts: nothing() })
  }
  const asker = entryMaker(1000 + size)
  for (let number = 0; number < count; number++) {
    const [question, task] = [asker.question(), asker.task()]
    for (let turn = 0; turn < asked.length; turn++) {
      const { running, searches, contexts } = asked[(turn + number) % asked.length] as Running
      await time(searches, () => running.search(question))
      if (running.context) await time(contexts, () => running.context?.(task) as Promise<string>)
    }
  }
  const megabytes = new Map(asked.map(({ peer, running }) => [peer, residentMegabytes(running.pid)]))
  for (const { running } of asked) await running.close()
  const own = asked.find(({ peer }) => peer.name === "Drey")
  printColumns([
    [
      "",
      "filled in",
      `of ${titles} titles found`,
      "search p50",
      "p95",
      "p95 to Drey",
      "n",
      "context p50",
      "p95",
      "p95 to Drey",
      "n",
      "tokens, at most",
      "memory",
    ],
    ...asked.map(({ peer, found, seconds, searches, contexts }) => [
      peer.name,
      `${seconds.toFixed(0)} s`,
      String(found),
      ...cellsOf(searches, own?.searches),
      ...cellsOf(contexts, own?.contexts),
      contexts.tokens.length === 0 ? "" : median(contexts.tokens).toLocaleString("en"),
      `${(megabytes.get(peer) ?? Number.NaN).toFixed(0)} MB`,
    ]),
  ])
  const p95Of = (of: "searches" | "contexts") =>
    new Map(
      asked
        .filter((each) => each[of].times.length > 0)
        .map(({ peer, ...each }) => [peer.name, percentile(each[of].times, 0.95)]),
    )
  const notes = `${size.toLocaleString("en")} notes`
  return [
    { what: `Search of ${notes}, p95`, unit: "ms", of: p95Of("searches") },
    { what: `Context of ${notes}, p95`, unit: "ms", of: p95Of("contexts") },
    { what: `Memory with ${notes}`, unit: "MB", of: new Map([...megabytes].map(([{ name }, value]) => [name, value])) },
  ]
}

const titles = 20

/** How many notes, taken from everywhere in the store, are among what a search for their titles finds. */
async function countFound(running: PeerProcess, entries: readonly MadeEntry[]): Promise<number> {
  let found = 0
  for (let number = 0; number < titles; number++) {
    const entry = entries[Math.floor((number * entries.length) / titles)]
    if (entry && (await running.search(entry.title)).includes(entry.title)) found++
  }
  return found
}

async function time({ times, tokens }: Timing, ask: () => Promise<string>): Promise<void> {
  if (times.reduce((sum, each) => sum + each, 0) > longest) return
  const began = performance.now()
  const text = await ask()
  times.push(performance.now() - began)
  tokens.push(boundTokens(text))
}

function cellsOf({ times }: Timing, own: Timing | undefined): string[] {
  if (times.length === 0) return ["none", "", "", ""]
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
  return [ms(p50), ms(p95), perDrey(p95, own && percentile(own.times, 0.95)), String(times.length)]
}
