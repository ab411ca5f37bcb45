import { join } from "node:path"
import { sizeOf } from "../../scripts/package/size-of.ts"
import { openDatabase } from "../../src/disk/sqlite.ts"
import { printColumns } from "../recall/print-table.ts"
import { entryMaker } from "../recall-speed/made-entries.ts"
import { median, percentile } from "../recall-speed/timing.ts"
import type { ReadyPeer } from "./all-peers.ts"
import type { Places } from "./open-places.ts"
import type { Note, PeerProcess } from "./peer.ts"
import { perDrey } from "./per-drey.ts"
import type { Measure } from "./standing.ts"

/** One note after the other, each waited for, all peers in turns; beside them a bare row in SQLite that is on the disk before the next. */
export async function printWrites(peers: readonly ReadyPeer[], places: Places, count: number): Promise<Measure[]> {
  const writers: {
    name: string
    folder: string
    running: PeerProcess | undefined
    write: (note: Note) => unknown
    times: number[]
    before: number
  }[] = []
  for (const peer of peers) {
    const place = places.make(peer)
    const running = await peer.start(place)
    await running.write({ title: "The first", text: "Opens whatever is opened with the first note." })
    const write = (note: Note) => running.write(note)
    writers.push({ name: peer.name, folder: place.folder, running, write, times: [], before: sizeOf(place.folder) })
  }
  const [own] = peers
  if (own) writers.push({ ...bareSqlite(places.make(own).folder), running: undefined, times: [], before: 0 })
  const maker = entryMaker(21)
  for (let number = 0; number < count; number++) {
    const { title, text } = maker.entry()
    for (let turn = 0; turn < writers.length; turn++) {
      const writer = writers[(turn + number) % writers.length]
      const began = performance.now()
      await writer?.write({ title, text })
      writer?.times.push(performance.now() - began)
    }
  }
  for (const { running } of writers) await running?.close()
  console.log(`\n## Writing ${count} notes one after the other\n`)
  const ownTime = writers.find(({ name }) => name === "Drey")?.times
  printColumns([
    ["", "p50", "p95", "p50 to Drey", "a second", "bytes on disk for each note"],
    ...writers.map(({ name, folder, times, before }) => [
      name,
      `${median(times).toFixed(1)} ms`,
      `${percentile(times, 0.95).toFixed(1)} ms`,
      perDrey(median(times), ownTime && median(ownTime)),
      (1000 / (times.reduce((sum, each) => sum + each, 0) / times.length)).toFixed(0),
      Math.round((sizeOf(folder) - before) / count).toLocaleString("en"),
    ]),
  ])
  const isPeer = ({ running }: { running: PeerProcess | undefined }) => running !== undefined
  const times = new Map(writers.filter(isPeer).map(({ name, times }) => [name, median(times)]))
  return [{ what: "One write, p50", unit: "ms", of: times }]
}

function bareSqlite(folder: string) {
  const database = openDatabase(join(folder, "bare.db"))
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE notes (title TEXT, text TEXT)")
  const insert = database.prepare("INSERT INTO notes VALUES (?, ?)")
  return { name: "bare SQLite row", folder, write: ({ title, text }: Note) => insert.run(title, text) }
}
