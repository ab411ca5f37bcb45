import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { DreyError } from "../errors.ts"
import { appendFileDurable, copyFileVerified, onFileOperation, removeFolder, writeFileAtomic } from "./atomic-write.ts"
import { sha256 } from "./hash.ts"

const isRoot = process.getuid?.() === 0
const isWindows = process.platform === "win32"

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-write-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const modeOf = (path: string) => statSync(path).mode & 0o7777

test("a file is created with its folders and leaves nothing beside it", () => {
  const folder = join(newFolder(), "some/where")
  writeFileAtomic(join(folder, "a.md"), "one 🐿\r\n")
  expect(readFileSync(join(folder, "a.md"), "utf8")).toBe("one 🐿\r\n")
  expect(readdirSync(folder)).toEqual(["a.md"])
})

test("bytes are written unchanged", () => {
  const path = join(newFolder(), "a.bin")
  const bytes = Uint8Array.of(0, 255, 10, 13)
  writeFileAtomic(path, bytes)
  expect(new Uint8Array(readFileSync(path))).toEqual(bytes)
})

test("a path relative to the working folder is written there", () => {
  const folder = newFolder()
  const before = process.cwd()
  process.chdir(folder)
  try {
    writeFileAtomic("deep/a.md", "here")
    appendFileDurable("log.txt", "here")
  } finally {
    process.chdir(before)
  }
  expect(readFileSync(join(folder, "deep/a.md"), "utf8")).toBe("here")
  expect(readFileSync(join(folder, "log.txt"), "utf8")).toBe("here")
})

test.skipIf(isWindows)("an existing file keeps its permissions, a new one gets the requested ones", () => {
  const path = join(newFolder(), "a.sh")
  writeFileAtomic(path, "new", { mode: 0o600 })
  expect(modeOf(path)).toBe(0o600)
  chmodSync(path, 0o777) // more than a usual umask lets through
  writeFileAtomic(path, "newer", { mode: 0o600 })
  expect(modeOf(path)).toBe(0o777)
})

test.runIf(isRoot)("root does not change the owner of a file", () => {
  const path = join(newFolder(), "a.md")
  writeFileSync(path, "old")
  chownSync(path, 1234, 1235)
  writeFileAtomic(path, "new")
  expect(statSync(path)).toMatchObject({ uid: 1234, gid: 1235 })
})

test("nothing is written through a link, and neither the link nor its target changes", () => {
  const folder = newFolder()
  mkdirSync(join(folder, "elsewhere"))
  writeFileSync(join(folder, "elsewhere/real.md"), "old")
  symlinkSync("elsewhere/real.md", join(folder, "second"))
  symlinkSync("second", join(folder, "first"))
  for (const write of [writeFileAtomic, appendFileDurable])
    expect(() => write(join(folder, "first"), "new")).toThrow("first is a link, which is not followed")
  expect(readlinkSync(join(folder, "first"))).toBe("second")
  expect(readlinkSync(join(folder, "second"))).toBe("elsewhere/real.md")
  expect(readFileSync(join(folder, "elsewhere/real.md"), "utf8")).toBe("old")
})

test("a link to a file that does not exist yet creates no file", () => {
  const folder = newFolder()
  symlinkSync("later/real.md", join(folder, "link"))
  expect(() => writeFileAtomic(join(folder, "link"), "new")).toThrow("is a link")
  expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true)
  expect(readdirSync(folder)).toEqual(["link"])
})

test("a file that was saved after it was read is not replaced", () => {
  const folder = newFolder()
  const path = join(folder, "a.md")
  writeFileSync(path, "as it was read")
  onFileOperation((operation) => {
    if (operation === "rename") writeFileSync(path, "as somebody saved it")
  })
  onTestFinished(() => onFileOperation(undefined))
  const replaces = sha256("as it was read")
  expect(() => writeFileAtomic(path, "new", { replaces })).toThrow(
    `${path} changed in the meantime; nothing was written`,
  )
  expect(readFileSync(path, "utf8")).toBe("as somebody saved it")
  expect(readdirSync(folder)).toEqual(["a.md"])
  rmSync(path)
  expect(() => writeFileAtomic(path, "new", { replaces: null })).toThrow("changed in the meantime")
  onFileOperation(undefined)
  writeFileAtomic(path, "new", { replaces: sha256("as somebody saved it") })
  expect(readFileSync(path, "utf8")).toBe("new")
})

test("a folder is removed with its links, but not their targets", () => {
  const folder = newFolder()
  for (const name of ["outside", "own"]) mkdirSync(join(folder, name))
  writeFileSync(join(folder, "outside/keep.md"), "")
  symlinkSync("../outside", join(folder, "own/link"))
  symlinkSync("outside", join(folder, "alias"))
  for (const name of ["own", "alias"]) removeFolder(join(folder, name))
  expect(readdirSync(folder).sort()).toEqual(["alias", "outside"])
  expect(readdirSync(join(folder, "outside"))).toEqual(["keep.md"])
})

test("a name as long as the disk allows can be written", () => {
  const path = join(newFolder(), `${"é".repeat(125)}.md`)
  writeFileAtomic(path, "long")
  expect(readFileSync(path, "utf8")).toBe("long")
})

test("folders, pipes and paths through files are refused with a message", () => {
  const folder = newFolder()
  writeFileSync(join(folder, "file"), "")
  expect(() => writeFileAtomic(folder, "x")).toThrow(new DreyError(`${folder} is a folder, not a file`))
  const below = join(folder, "file/below/a.md")
  expect(() => writeFileAtomic(below, "x")).toThrow(DreyError)
  expect(() => appendFileDurable(below, "x")).toThrow(DreyError)
  if (isWindows) return
  const pipe = join(folder, "pipe")
  execFileSync("mkfifo", [pipe])
  expect(() => writeFileAtomic(pipe, "x")).toThrow(new DreyError(`${pipe} is not a regular file`))
  expect(() => appendFileDurable(pipe, "x")).toThrow(new DreyError(`${pipe} is not a regular file`))
  expect(() => copyFileVerified(pipe, join(folder, "copy"))).toThrow(new DreyError(`${pipe} is not a regular file`))
})

test.skipIf(isWindows)("a full disk is reported, and the old file stays", async () => {
  const folder = newFolder()
  const path = join(folder, "store/a.md")
  writeFileAtomic(path, "old")
  const script = await bundleChild(
    folder,
    `import { appendFileDurable, writeFileAtomic } from "./atomic-write.ts"
     const path = process.argv[2] ?? ""
     for (const write of [writeFileAtomic, appendFileDurable]) {
       try {
         write(path, "x".repeat(1_000_000))
       } catch (error) {
         console.log(String(error))
       }
     }`,
  )
  const limited = ["-c", 'ulimit -f 100; exec "$@"', "sh", process.execPath, script, path]
  const [whole, appended] = execFileSync("sh", limited, { encoding: "utf8" }).split("\n")
  expect(whole).toBe(`DreyError: ${path} cannot be written: the system allows no file that large`)
  expect(appended).toMatch(/^DreyError: .*a\.md took only \d+ of 1000000 bytes$/)
  expect(readFileSync(path, "utf8")).toMatch(/^oldx+$/)
  expect(readdirSync(join(folder, "store"))).toEqual(["a.md"])
})

test.skipIf(isWindows || isRoot)("a folder without permission is explained, and the old file stays", () => {
  const folder = newFolder()
  const path = join(folder, "a.md")
  writeFileSync(path, "old")
  chmodSync(folder, 0o500)
  onTestFinished(() => chmodSync(folder, 0o700)) // so that it can be removed
  expect(() => writeFileAtomic(path, "new")).toThrow(new DreyError(`${path} cannot be accessed: no permission`))
  expect(readFileSync(path, "utf8")).toBe("old")
  expect(readdirSync(folder)).toEqual(["a.md"])
})

test("text is appended, in folders created for it", () => {
  const path = join(newFolder(), "logs/audit.jsonl")
  appendFileDurable(path, "one\n")
  appendFileDurable(path, "two\n")
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n")
})

test("a copy has the same bytes and permissions, and its hash is returned", () => {
  const folder = newFolder()
  const bytes = Buffer.alloc(2_500_000, "0123456789abcdef\0")
  writeFileSync(join(folder, "from"), bytes)
  chmodSync(join(folder, "from"), 0o640)
  const sha256 = copyFileVerified(join(folder, "from"), join(folder, "backup/to"))
  expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"))
  expect(readFileSync(join(folder, "backup/to")).equals(bytes)).toBe(true)
  if (!isWindows) expect(modeOf(join(folder, "backup/to"))).toBe(0o640)
  expect(readdirSync(join(folder, "backup"))).toEqual(["to"])
})

test("copying a missing file names the source and creates nothing", () => {
  const folder = newFolder()
  const from = join(folder, "missing")
  expect(() => copyFileVerified(from, join(folder, "to"))).toThrow(new DreyError(`${from} does not exist`))
  expect(readdirSync(folder)).toEqual([])
})

test("a copy of a file that is being written is refused, and the old copy stays", async () => {
  const folder = newFolder()
  const from = join(folder, "from")
  writeFileSync(from, Buffer.alloc(24_000_000, "x"))
  writeFileSync(join(folder, "to"), "old copy")
  const script = await bundleChild(
    folder,
    `import { openSync, writeSync } from "node:fs"
     const handle = openSync(process.argv[2] ?? "", "r+")
     console.log("writing")
     for (let count = 0; ; count++) writeSync(handle, String(count), 0)`,
  )
  const child = startChild(script, from)
  await child.nextLine()
  try {
    expect(() => copyFileVerified(from, join(folder, "to"))).toThrow("differs from")
  } finally {
    child.process.kill("SIGKILL")
    await child.ended
  }
  expect(readFileSync(join(folder, "to"), "utf8")).toBe("old copy")
})

test("lines appended by several processes at once never mix", async () => {
  const folder = newFolder()
  const path = join(folder, "audit.jsonl")
  const script = await bundleChild(
    folder,
    `import { appendFileDurable } from "./atomic-write.ts"
     const [, , path = "", letter = ""] = process.argv
     for (let count = 0; count < 25; count++) appendFileDurable(path, letter.repeat(20_000) + "\\n")`,
  )
  const children = ["a", "b", "c", "d"].map((letter) => startChild(script, path, letter))
  expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0, 0])
  const lines = readFileSync(path, "utf8").trimEnd().split("\n")
  expect(lines).toHaveLength(100)
  expect(lines.filter((line) => !/^(a+|b+|c+|d+)$/.test(line) || line.length !== 20_000)).toEqual([])
})

test("kill -9 while a file is replaced leaves either the old content or the new", async () => {
  const folder = newFolder()
  const script = await bundleChild(
    folder,
    `import { writeFileAtomic } from "./atomic-write.ts"
     const path = process.argv[2] ?? ""
     for (let count = 0; ; count++) {
       writeFileAtomic(path, (count % 2 ? "b" : "a").repeat(1_000_000))
       console.log("written")
     }`,
  )
  const store = join(folder, "store")
  const path = join(store, "decisions.md")
  for (let round = 1; round <= 20; round++) {
    const child = startChild(script, path)
    for (let line = 0; line < round % 5; line++) await child.nextLine()
    if (round % 5 === 0) while (!existsSync(path)) await child.nextLine()
    child.process.kill("SIGKILL")
    expect(await child.ended).toBe("SIGKILL")
    if (existsSync(path)) expect(readFileSync(path, "utf8")).toMatch(/^(a{1000000}|b{1000000})$/)
  }
  writeFileAtomic(path, "still writable")
  expect(readFileSync(path, "utf8")).toBe("still writable")
  const leftovers = readdirSync(store).filter((name) => name !== "decisions.md")
  expect(leftovers.filter((name) => !/^\.decisions\.md\.[0-9a-f]{16}\.tmp$/.test(name))).toEqual([])
}, 120_000)
