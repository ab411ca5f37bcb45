import { setTimeout as pause } from "node:timers/promises"
import { printColumns } from "../recall/print-table.ts"
import { seededRandom } from "../recall/seeded-random.ts"
import type { ReadyPeer } from "./all-peers.ts"
import type { Places } from "./open-places.ts"
import type { PeerProcess, Place } from "./peer.ts"
import type { Measure } from "./standing.ts"

/** How much of what was acknowledged a new process finds, and what else went wrong. */
type Survival = { acknowledged: string[]; errors: number }

/** Several processes write to one store at once. */
export async function printProcesses(
  peers: readonly ReadyPeer[],
  places: Places,
  { processes, writes }: { processes: number; writes: number },
): Promise<Measure[]> {
  console.log(`\n## ${processes} processes write ${writes} notes each to one store, all at once\n`)
  const lost = new Map<string, number>()
  const rows: string[][] = []
  for (const peer of peers) {
    const place = places.make(peer)
    await (await peer.start(place)).close() // whatever is made at the very first start
    const running = await Promise.all(Array.from({ length: processes }, () => peer.start(place)))
    const outcome: Survival = { acknowledged: [], errors: 0 }
    const began = performance.now()
    const patience = AbortSignal.timeout(120_000)
    await Promise.all(
      running.map(async (each, number) => {
        for (let turn = 0; turn < writes && !patience.aborted; turn++)
          await writeMarked(each, `p${number}n${turn}word`, outcome)
      }),
    )
    const seconds = (performance.now() - began) / 1000
    await Promise.all(running.map((each) => each.close()))
    const survived = await lookAt(peer, place, outcome)
    if (outcome.acknowledged.length > 0) lost.set(peer.name, (100 * survived.lost) / outcome.acknowledged.length)
    rows.push([...survived.row, (outcome.acknowledged.length / seconds).toFixed(0)])
  }
  printColumns([["", "acknowledged", "lost of them", "errors", "a second"], ...rows])
  return [{ what: "Acknowledged notes lost by several processes", unit: "%", of: lost }]
}

/** A process that writes is killed at a moment drawn with a seed, again and again, on one store. */
export async function printCrashes(
  peers: readonly ReadyPeer[],
  places: Places,
  { kills, seed }: { kills: number; seed: number },
): Promise<Measure[]> {
  console.log(`\n## A writing process is killed (SIGKILL) ${kills} times, seed ${seed}\n`)
  const lost = new Map<string, number>()
  const rows: string[][] = []
  for (const peer of peers) {
    const random = seededRandom(seed)
    const place = places.make(peer)
    const outcome: Survival = { acknowledged: [], errors: 0 }
    for (let round = 0; round < kills; round++) {
      const running = await peer.start(place)
      const isKilled = { yet: false }
      const writing = writeUntilKilled(running, round, outcome, isKilled)
      await pause(30 + random() * 300)
      isKilled.yet = true
      await running.kill()
      await writing
    }
    const survived = await lookAt(peer, place, outcome)
    if (outcome.acknowledged.length > 0) lost.set(peer.name, (100 * survived.lost) / outcome.acknowledged.length)
    rows.push(survived.row)
  }
  printColumns([["", "acknowledged", "lost of them", "errors"], ...rows])
  return [{ what: "Acknowledged notes lost by kills", unit: "%", of: lost }]
}

async function writeUntilKilled(
  running: PeerProcess,
  round: number,
  outcome: Survival,
  isKilled: { yet: boolean },
): Promise<void> {
  for (let turn = 0; ; turn++) {
    const word = `k${round}n${turn}word`
    try {
      await running.write(noteOf(word))
    } catch {
      if (!isKilled.yet) outcome.errors++
      return // what was not acknowledged does not count
    }
    outcome.acknowledged.push(word)
  }
}

async function writeMarked(running: PeerProcess, word: string, outcome: Survival): Promise<void> {
  try {
    await running.write(noteOf(word))
    outcome.acknowledged.push(word)
  } catch {
    outcome.errors++
  }
}

function noteOf(word: string) {
  return { title: `Note ${word}`, text: `The team keeps ${word} in mind when it works on the queue.` }
}

/** A new process is asked for everything that was acknowledged; a store that it cannot open has lost all of it. */
async function lookAt(
  peer: ReadyPeer,
  place: Place,
  { acknowledged, errors }: Survival,
): Promise<{ lost: number; row: string[] }> {
  const row = (lost: string) => [peer.name, String(acknowledged.length), lost, String(errors)]
  try {
    const reader = await peer.start(place)
    const held = await reader.holds(acknowledged)
    await reader.close()
    const lost = acknowledged.filter((word) => !held.has(word)).length
    return { lost, row: row(String(lost)) }
  } catch (error) {
    return { lost: acknowledged.length, row: row(`all: it cannot be opened (${error})`) }
  }
}
