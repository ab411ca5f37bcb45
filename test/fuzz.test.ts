import { describe, expect, onTestFinished, test } from "vitest"
import { allReaders } from "../bench/long/fuzz/all-readers.ts"
import { readCases } from "../bench/long/fuzz/kept-cases.ts"
import { planWork } from "../bench/long/fuzz/plan-work.ts"
import type { OpenReader, Reader } from "../bench/long/fuzz/reader.ts"
import { runReader } from "../bench/long/fuzz/run-reader.ts"
import { tryInput } from "../bench/long/fuzz/try-input.ts"

const inputs = Number(process.env.DREY_FUZZ_INPUTS ?? 4000)
const seed = 1
const works = planWork(allReaders, inputs).filter(({ kind }) => kind === "inputs")

describe.each(allReaders.map((reader) => ({ name: reader.name, reader })))("$name", ({ reader }) => {
  test("a sample of odd inputs is read or refused, in time, and leaves no trace", async () => {
    const open = await opened(reader)
    for (const work of works.filter((each) => each.reader === reader.name)) {
      const { findings, tried } = await runReader(reader, open, work, seed)
      expect(findings.map(({ problem, input }) => [problem, JSON.stringify(input.toString("utf8"))])).toEqual([])
      expect(tried).toBe(work.count)
    }
  })

  const cases = readCases(process.cwd(), reader.name)
  if (cases.length === 0) return
  test("every input that once failed is read or refused", async () => {
    const open = await opened(reader)
    for (const { path, input } of cases) expect(await tryInput(reader, open, input), path).not.toHaveProperty("problem")
  })
})

async function opened(reader: Reader): Promise<OpenReader> {
  const open = await reader.open()
  onTestFinished(() => open.close?.())
  return open
}
