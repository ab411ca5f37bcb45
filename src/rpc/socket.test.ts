import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { type ReadLine, readLines, socketPathOf } from "./socket.ts"

function newFolder(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-socket-"))
  chmodSync(folder, mode)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test("the system's folder for running programs is used when it is private", () => {
  const runtime = newFolder(0o700)
  expect(socketPathOf({ XDG_RUNTIME_DIR: runtime }, "linux")).toBe(join(runtime, "drey", "watch.sock"))
})

test("one that others can enter, or that does not exist, is not used", () => {
  for (const runtime of [newFolder(0o755), "/nowhere/at/all"])
    expect(socketPathOf({ XDG_RUNTIME_DIR: runtime }, "linux")).toMatch(/\.drey\/run\/watch\.sock$/)
})

test("each home has its own socket, whatever the system provides", () => {
  const environment = { XDG_RUNTIME_DIR: newFolder(0o700), DREY_HOME: "/home/ines/.drey-test" }
  expect(socketPathOf(environment, "linux")).toBe("/home/ines/.drey-test/run/watch.sock")
})

test("a path that is too long is replaced by a short one, different for each home", () => {
  const long = (name: string) => socketPathOf({ DREY_HOME: `/home/${"long/".repeat(30)}${name}` }, "linux")
  expect(Buffer.byteLength(long("a"))).toBeLessThanOrEqual(100)
  expect(long("a")).toBe(long("a"))
  expect(long("a")).not.toBe(long("b"))
})

test("on Windows it is a named pipe, different for each home", () => {
  const pipe = (home: string) => socketPathOf({ DREY_HOME: home }, "win32")
  expect(pipe("C:\\a")).toMatch(/^\\\\\.\\pipe\\drey-[0-9a-f]{12}$/)
  expect(pipe("C:\\a")).not.toBe(pipe("C:\\b"))
})

async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function linesOf(text: string, sizes: readonly number[], mostBytes = 1000): Promise<ReadLine[]> {
  const lines: ReadLine[] = []
  for await (const line of readLines(pieces(Buffer.from(text), sizes), mostBytes)) lines.push(line)
  return lines
}

test("however the bytes are split, the lines are the same, and no character is broken", async () => {
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
  "a line over the limit is reported and nothing after it is read, in pieces of %j",
  async (sizes) => {
    expect(await linesOf(`short\n${"x".repeat(11)}\nlater\n`, sizes, 10)).toEqual([
      { kind: "line", text: "short" },
      { kind: "too long" },
    ])
    expect(await linesOf(`${"x".repeat(10)}\n`, sizes, 10)).toEqual([{ kind: "line", text: "x".repeat(10) }])
  },
)

test("a line without an end is dropped at the limit, not when memory is full", async () => {
  let sent = 0
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      sent += 100
      yield Buffer.alloc(100, "x")
    }
  }
  const lines: ReadLine[] = []
  for await (const line of readLines(endless(), 1000)) lines.push(line)
  expect(lines).toEqual([{ kind: "too long" }])
  expect(sent).toBeLessThanOrEqual(1200)
})
