import fc from "fast-check"
import { expect, test } from "vitest"
import { lineSplitter, type StreamLine, streamLines } from "./lines.ts"

test("the lines and the position are the same, wherever the chunks end", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "ü", "🦊", "}", "\n", "\r\n"), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (content, sizes) => {
      const bytes = Buffer.from(content)
      const splitter = lineSplitter(1000)
      const lines: string[] = []
      for (let at = 0, piece = 0; at < bytes.length; piece++) {
        const reused = Buffer.from(bytes.subarray(at, at + (sizes[piece % sizes.length] ?? 1)))
        splitter.push(reused, (line, number) => {
          expect(number).toBe(lines.length + 1)
          lines.push(line?.toString() ?? "")
        })
        at += reused.length
        reused.fill(0)
      }
      expect(lines).toEqual(content.split("\n").slice(0, -1))
      expect(splitter.position()).toEqual({
        offset: Buffer.byteLength(content.slice(0, content.lastIndexOf("\n") + 1)),
        line: lines.length,
      })
    }),
  )
})

test("a line that is too long is skipped, and the next is complete", () => {
  const splitter = lineSplitter(10)
  const lines: (string | undefined)[] = []
  for (const piece of ["short\n", "much too ", "long for this", "\nnext\n"])
    splitter.push(Buffer.from(piece), (line) => lines.push(line?.toString()))
  expect(lines).toEqual(["short", undefined, "next"])
  expect(splitter.position()).toEqual({ offset: 34, line: 3 })
})

async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function linesOf(text: string, sizes: readonly number[], mostBytes = 1000): Promise<StreamLine[]> {
  const lines: StreamLine[] = []
  for await (const line of streamLines(pieces(Buffer.from(text), sizes), mostBytes)) lines.push(line)
  return lines
}

test("however the bytes are cut, the lines are the same, and no character is broken", async () => {
  const line = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !/[\n\r]/.test(text))
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      async (texts, sizes) => {
        const expected = texts.map((text) => text.trim()).filter((text) => text !== "")
        const read = await linesOf(texts.map((text) => `${text}\n`).join(""), sizes)
        expect(read).toEqual(expected.map((text) => ({ kind: "line", text })))
      },
    ),
  )
})

test("a line that ends with the stream counts, an empty one does not", async () => {
  expect(await linesOf("one\n\n  \ntwo", [2])).toEqual([
    { kind: "line", text: "one" },
    { kind: "line", text: "two" },
  ])
})

test.each([[[1000]], [[1]]])(
  "a line over the limit is reported and skipped to its end, in pieces of %j",
  async (sizes) => {
    expect(await linesOf(`short\n${"x".repeat(11)}\nlater\n`, sizes, 10)).toEqual([
      { kind: "line", text: "short" },
      { kind: "too long" },
      { kind: "line", text: "later" },
    ])
    expect(await linesOf("x".repeat(11), sizes, 10)).toEqual([{ kind: "too long" }])
    expect(await linesOf(`${"x".repeat(10)}\n`, sizes, 10)).toEqual([{ kind: "line", text: "x".repeat(10) }])
  },
)

test("a line without an end is reported at the limit, not when memory is full", async () => {
  let sent = 0
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      sent += 100
      yield Buffer.alloc(100, "x")
    }
  }
  const { value } = await streamLines(endless(), 1000).next()
  expect(value).toEqual({ kind: "too long" })
  expect(sent).toBeLessThanOrEqual(1200)
})
