import { appendFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import type { Position } from "../../formats/client-events.ts"
import type { Batch } from "../client.ts"
import { textOf } from "../json-value.ts"
import { type LineFormat, readLines } from "./line-files.ts"
import { writeTranscript } from "./test-transcript.ts"

/** Returns every text, with the number of texts before it. */
const counting: LineFormat = {
  isIdle: (line) => line.includes('"idle"'),
  open(_, carried) {
    let count = Number(carried || 0)
    return {
      take(record, line) {
        const text = textOf(record.text)
        if (text === undefined) return { unknown: "textless" }
        return [{ id: `${count++}`, session: "s", ts: "", line, role: "user", kind: "message", text }]
      },
      carry: () => String(count),
    }
  },
}

async function read(path: string, from?: Position) {
  const batches: Batch[] = []
  for await (const batch of readLines({ client: "codex", path }, from, counting)) batches.push(batch)
  return {
    told: batches.flatMap(({ events }) => events.map(({ id, line, text }) => `${id} ${line} ${text.slice(0, 20)}`)),
    records: batches.reduce((sum, { records }) => sum + records, 0),
    unknown: Object.assign({}, ...batches.map(({ unknown }) => unknown)) as Record<string, number>,
    position: batches.at(-1)?.position,
    batches,
  }
}

test("appended lines are read from the position with the carried state, and an unfinished line is left for later", async () => {
  const path = writeTranscript([{ text: "one" }, { text: "two" }])
  appendFileSync(path, '{"text":"thr')
  const first = await read(path)
  expect(first.told).toEqual(["0 1 one", "1 2 two"])
  expect(first.position).toMatchObject({ offset: 30, line: 2, carried: "2" })
  expect((await read(path, first.position)).batches).toEqual([])
  appendFileSync(path, 'ee"}\n{"text":"four"}\n')
  expect((await read(path, first.position)).told).toEqual(["2 3 three", "3 4 four"])
})

test("a last record without a line break is read once, and lines are still counted correctly", async () => {
  const path = writeTranscript([{ text: "one" }])
  appendFileSync(path, '{"text":"two"}')
  const first = await read(path)
  expect(first.told).toEqual(["0 1 one", "1 2 two"])
  expect((await read(path, first.position)).told).toEqual([])
  appendFileSync(path, '\n{"text":"three"}\n')
  expect((await read(path, first.position)).told).toEqual(["2 3 three"])
})

test("a file that shrank or was replaced is read from its start", async () => {
  const path = writeTranscript([{ text: "one" }, { text: "two" }])
  const { position } = await read(path)
  truncateSync(path, 15)
  expect((await read(path, position)).told).toEqual(["0 1 one"])
  const other = join(dirname(path), "other.jsonl")
  writeFileSync(other, '{"text":"uno"}\n{"text":"due"}\n{"text":"tre"}\n')
  renameSync(other, path)
  expect((await read(path, position)).told).toEqual(["0 1 uno", "1 2 due", "2 3 tre"])
})

test("a file that was rewritten in place is read from its start, even if it is longer", async () => {
  const path = writeTranscript([{ text: "one" }, { text: "two" }])
  const { position } = await read(path)
  writeFileSync(path, '{"text":"uno"}\n{"text":"due"}\n{"text":"tre"}\n')
  expect((await read(path, position)).told).toEqual(["0 1 uno", "1 2 due", "2 3 tre"])
})

test("a missing file yields nothing; one that cannot be opened is an error", async () => {
  const path = writeTranscript([])
  rmSync(path)
  expect((await read(path)).batches).toEqual([])
  symlinkSync(path, path)
  await expect(read(path)).rejects.toThrow(`${path} is a symbolic link that leads back to itself`)
})

test("blank lines, carriage returns and a byte order mark are not records; invalid lines are counted", async () => {
  const path = writeTranscript([])
  writeFileSync(path, '\ufeff{"text":"one"}\r\n\r\n\n{"text":"two"}\r\nnot JSON\n[1]\n{"idle":1\n{}\n')
  const { told, records, unknown } = await read(path)
  expect(told).toEqual(["0 1 one", "1 4 two"])
  expect(records).toBe(4)
  expect(unknown).toEqual({ unreadable: 2, textless: 1 })
})

test("lines of many megabytes are read, and longer ones are skipped", async () => {
  const megabytes = (count: number) => "x".repeat(count * 1024 * 1024)
  const path = writeTranscript([{ text: megabytes(5) }, { text: megabytes(33) }, { text: "last" }])
  const { told, unknown } = await read(path)
  expect(told).toEqual([`0 1 ${"x".repeat(20)}`, "1 3 last"])
  expect(unknown).toEqual({ unreadable: 1 })
})

test("a long file is read in batches, and an interrupted reading resumes after the last", async () => {
  const records = Array.from({ length: 60_000 }, (_, index) => ({ text: `text ${index} ${"x".repeat(90)}` }))
  const path = writeTranscript(records)
  const { batches, told } = await read(path)
  expect(batches.length).toBeGreaterThan(2)
  expect(batches.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(batches.at(-1)?.position.offset)
  const half = batches[1]?.position
  const rest = await read(path, half)
  expect(rest.told).toEqual(told.slice(Number(half?.carried)))
})

test("a compressed file is decompressed while reading, once, and from any position", async () => {
  const records = Array.from({ length: 3000 }, (_, index) => ({ text: `text ${index} ${"x".repeat(90)}` }))
  const path = `${writeTranscript([])}.zst`
  writeFileSync(path, packUncompressed(records.map((record) => `${JSON.stringify(record)}\n`).join("")))
  const whole = await read(path)
  expect(whole.told).toHaveLength(3000)
  expect(whole.batches.length).toBeGreaterThan(3)
  expect((await read(path, whole.position)).batches).toEqual([])
  const half = whole.batches[1]?.position
  expect((await read(path, half)).told).toEqual(whole.told.slice(Number(half?.carried)))
  truncateSync(path, 200_000)
  const cut = (await read(path, whole.position)).told
  expect(cut.length).toBeGreaterThan(500)
  expect(cut).toEqual(whole.told.slice(0, cut.length))
})

/** A Zstandard frame with uncompressed blocks. */
function packUncompressed(text: string): Buffer {
  const bytes = Buffer.from(text)
  const pieces = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68])]
  for (let at = 0; at < bytes.length; at += 100_000) {
    const block = bytes.subarray(at, at + 100_000)
    const head = Buffer.alloc(3)
    head.writeUIntLE((block.length << 3) | (at + block.length === bytes.length ? 1 : 0), 0, 3)
    pieces.push(head, block)
  }
  return Buffer.concat(pieces)
}

test("a path that is not a regular file yields nothing", async () => {
  const path = writeTranscript([])
  expect((await read(dirname(path))).batches).toEqual([])
  expect((await read(`${path}.gone`)).batches).toEqual([])
  writeFileSync(`${path}.zst`, "not packed at all\n")
  expect((await read(`${path}.zst`)).unknown).toEqual({ unreadable: 1 })
})
