import { openSync, writeSync } from "node:fs"
import { allReaders } from "./all-readers.ts"
import type { OpenReader } from "./reader.ts"
import { runReader, type Work, type WorkReport } from "./run-reader.ts"

export type WorkerMessage = { kind: "ready" } | { kind: "report"; work: Work; report: WorkReport; ms: number }

/** Takes one span of inputs after the other until there are no more. The current one is in `placeFile` before it is tried. */
export async function work(seed: number, placeFile: string): Promise<void> {
  const place = openSync(placeFile, "w")
  const number = Buffer.alloc(8)
  const begin = (index: number) => {
    number.writeDoubleLE(index)
    writeSync(place, number, 0, number.length, 0)
  }
  begin(-1)
  const tell = (message: WorkerMessage) => process.send?.(message)
  let current: { name: string; open: OpenReader } | undefined
  const readerFor = async (name: string) => {
    const reader = allReaders.find((each) => each.name === name)
    if (!reader) throw new Error(`there is no reader ${name}`)
    if (current?.name !== name) {
      await current?.open.close?.()
      current = { name, open: await reader.open() }
    }
    return { reader, open: current.open }
  }
  process.on("message", async (asked: Work | "end") => {
    if (asked === "end") {
      await current?.open.close?.()
      process.disconnect()
      return
    }
    const { reader, open } = await readerFor(asked.reader)
    const began = process.cpuUsage()
    const report = await runReader(reader, open, asked, seed, begin)
    const { user, system } = process.cpuUsage(began)
    tell({ kind: "report", work: asked, report, ms: (user + system) / 1000 })
  })
  tell({ kind: "ready" })
}
