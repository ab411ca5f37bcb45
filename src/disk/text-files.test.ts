import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { DreyError, exitCode } from "../errors.ts"
import { readTextFile } from "./text-files.ts"

const folder = mkdtempSync(join(tmpdir(), "drey-read-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const permissionsCount = process.platform !== "win32" && process.getuid?.() !== 0 // root may read everything

function file(content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(folder, "file-")), "notes.md")
  writeFileSync(path, content)
  return path
}

function refusal(path: string, options?: { maxBytes?: number }): string {
  try {
    readTextFile(path, options)
  } catch (error) {
    expect(error).toBeInstanceOf(DreyError)
    if (error instanceof DreyError) {
      expect(error.exitCode).toBe(exitCode.usage)
      return error.message
    }
  }
  throw new Error(`${path} was read`)
}

test("a text file is read with its size, hash and time", () => {
  const text = "# Décisions\n\n- 🐿 one\n"
  const path = file(text)
  expect(readTextFile(path)).toEqual({
    path,
    text,
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex"),
    modifiedMs: statSync(path).mtimeMs,
  })
})

test("byte order mark and line ends are unchanged", () => {
  const text = "\uFEFFone\r\ntwo\nthree\rfour"
  expect(readTextFile(file(text)).text).toBe(text)
})

test("an empty file is an empty text", () => {
  expect(readTextFile(file(""))).toMatchObject({ text: "", bytes: 0 })
})

test("a link is read through", () => {
  const link = join(mkdtempSync(join(folder, "link-")), "link.md")
  symlinkSync(file("linked"), link)
  expect(readTextFile(link).text).toBe("linked")
})

test("a missing file is named", () => {
  const path = join(folder, "missing.md")
  expect(refusal(path)).toBe(`${path} does not exist`)
})

test("a path through a file is explained", () => {
  const path = join(file("text"), "below.md")
  expect(refusal(path)).toBe(`${path} cannot be found: a part of its path is a file, not a folder`)
})

test("a folder is not read", () => {
  expect(refusal(folder)).toBe(`${folder} is a folder, not a file`)
})

test.skipIf(process.platform === "win32")("pipes, devices and sockets are refused at once", async () => {
  const pipe = join(folder, "pipe")
  execFileSync("mkfifo", [pipe])
  expect(refusal(pipe)).toBe(`${pipe} is not a regular file`)
  expect(refusal("/dev/zero")).toBe("/dev/zero is not a regular file")

  const socket = join(folder, "socket")
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  expect(refusal(socket)).toBe(`${socket} is not a regular file`)
  await new Promise((resolve) => server.close(resolve))
})

test.skipIf(process.platform === "win32")("a link that leads to itself is explained", () => {
  const link = join(folder, "circle.md")
  symlinkSync(link, link)
  expect(refusal(link)).toBe(`${link} is a symbolic link that leads back to itself`)
})

test.runIf(permissionsCount)("a file without permission is explained", () => {
  const path = file("secret")
  chmodSync(path, 0)
  expect(refusal(path)).toBe(`${path} cannot be accessed: no permission`)
})

test("a file over the limit is refused before it is read, one at the limit is read", () => {
  const path = file("")
  truncateSync(path, 65 * 1024 * 1024)
  expect(refusal(path)).toBe(`${path} is too large: 65 MiB, and the limit is 64 MiB`)
  expect(readTextFile(file("12345"), { maxBytes: 5 }).text).toBe("12345")
  expect(refusal(file("123456"), { maxBytes: 5 })).toContain("is too large")
})

test("a NUL byte is refused with its line", () => {
  const path = file("one\ntwo\nth\0ree\nfo\0ur")
  expect(refusal(path)).toBe(`${path}:3 contains a NUL byte, so the file cannot be read as text`)
})

test("bytes that are not UTF-8 are refused with their line", () => {
  const latin1 = file(Buffer.from("one\ntwo é\nthree\n", "latin1"))
  expect(refusal(latin1)).toBe(`${latin1}:2 is not valid UTF-8`)
  const cutShort = file(Buffer.from("one\r\ntwo\r\n🐿").subarray(0, -1))
  expect(refusal(cutShort)).toBe(`${cutShort}:3 is not valid UTF-8`)
  const cutAtLineEnd = file(Buffer.concat([Buffer.from([0xc3]), Buffer.from("\ntwo")]))
  expect(refusal(cutAtLineEnd)).toBe(`${cutAtLineEnd}:1 is not valid UTF-8`)
})

test("UTF-16 has its own message, in either byte order", () => {
  const littleEndian = Buffer.from("\uFEFFone\ntwo", "utf16le")
  for (const path of [file(littleEndian), file(Buffer.from(littleEndian).swap16())]) {
    expect(refusal(path)).toBe(`${path} is UTF-16; save it as UTF-8`)
  }
})
