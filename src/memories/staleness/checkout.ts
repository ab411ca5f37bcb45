import { closeSync, fstatSync, openSync, readdirSync, readSync, realpathSync } from "node:fs"
import { join, relative } from "node:path"
import { setImmediate } from "node:timers/promises"
import { askGit, askGitFields } from "./git-history.ts"

/** The current files of a repository, committed or not. Paths have slashes and composed characters (NFC). */
export type Checkout = {
  /** The top of git's working tree, or the folder itself. */
  root: string
  /** The folder in it that paths are relative to: "" or `packages/app/`. */
  prefix: string
  /** Path → its name on disk, which may be normalized differently. */
  files: ReadonlyMap<string, string>
  folders: ReadonlySet<string>
  submodules: readonly string[]
  git: { head: string; isShallow: boolean } | undefined
}

export async function readCheckout(folder: string): Promise<Checkout> {
  const top = (await askGit(folder, ["rev-parse", "--show-toplevel"]))?.toString("utf8").replace(/\r?\n$/, "")
  if (top === undefined || top === "") return { ...namesOf(walk(folder)), root: folder, prefix: "", git: undefined }
  const [tracked, deleted, others, state] = await Promise.all([
    askGitFields(top, ["ls-files", "-z", "-s"]),
    askGitFields(top, ["ls-files", "-z", "-d"]),
    askGitFields(top, ["ls-files", "-z", "-o", "--exclude-standard"]),
    askGit(top, ["rev-parse", "--is-shallow-repository", "HEAD"]),
  ])
  const missing = new Set(deleted)
  const entries = tracked.map((line) => ({ mode: line.slice(0, 6), path: line.slice(line.indexOf("\t") + 1) }))
  const present = entries.filter(({ mode, path }) => mode !== linkToCommit && !missing.has(path))
  const [shallow, head] = state?.toString("utf8").trim().split("\n") ?? []
  return {
    ...namesOf([...present.map(({ path }) => path), ...others.filter((path) => !isMadeByTools(path))]),
    submodules: entries.filter(({ mode }) => mode === linkToCommit).map(({ path }) => path.normalize("NFC")),
    root: top,
    prefix: prefixOf(top, folder),
    git: head === undefined ? undefined : { head, isShallow: shallow === "true" },
  }
}

/** The mode of a submodule in git's listing. */
const linkToCommit = "160000"

function prefixOf(top: string, folder: string): string {
  const below = relative(realpathSync.native(top), realpathSync.native(folder)).replaceAll("\\", "/")
  return below === "" ? "" : `${below}/`
}

function namesOf(paths: readonly string[]): Pick<Checkout, "files" | "folders" | "submodules"> {
  const files = new Map(paths.map((path) => [path.normalize("NFC"), path]))
  const folders = new Set<string>()
  for (const path of files.keys())
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at)
      if (folders.has(folder)) break // its parents are known, too
      folders.add(folder)
    }
  return { files, folders, submodules: [] }
}

const mostFiles = 50_000
const madeByTools = new Set([".git", "node_modules", "dist", "build", "target", "vendor", ".venv", "venv", "obj"])

/** Includes untracked files that are not ignored; a nested repository is listed as a folder. */
function isMadeByTools(path: string): boolean {
  return path.endsWith("/") || path.split("/").some((part) => madeByTools.has(part))
}

/** Without git, everything but generated folders counts. */
function walk(folder: string): string[] {
  const found: string[] = []
  const waiting = [""]
  for (let below = waiting.pop(); below !== undefined && found.length < mostFiles; below = waiting.pop())
    for (const entry of listFolder(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory() && !madeByTools.has(entry.name)) waiting.push(path)
      else if (entry.isFile()) found.push(path)
    }
  return found
}

function listFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return [] // unreadable: its content counts as unknown, not as gone
  }
}

/** Which of the wanted words occur in source files, and which only in prose. */
export type WordsFound = { code: Set<string>; prose: Set<string> }

/** A larger file is a dump or generated. */
const mostBytes = 8 * 1024 * 1024
const filesAtOnce = 50

/** Searches for all words in one pass over the files, without the team folder's own texts. */
export async function scanFiles(checkout: Checkout, wanted: ReadonlySet<string>): Promise<WordsFound> {
  const found: WordsFound = { code: new Set(), prose: new Set() }
  const finder = wordFinder(wanted)
  const buffer = { bytes: Buffer.allocUnsafe(64 * 1024) }
  let looked = 0
  for (const [path, name] of checkout.files) {
    if (found.code.size === wanted.size) break
    if (isMemory(path)) continue
    if (++looked % filesAtOnce === 0) await setImmediate() // yields to other work in this process
    const bytes = readBytes(join(checkout.root, name), buffer)
    if (!bytes || isBinary(bytes)) continue
    finder(bytes, isProse(path) ? found.prose : found.code)
  }
  return found
}

export function isMemory(path: string): boolean {
  return /(?:^|\/)\.(?:squad|ai-team|rawko)\//.test(path)
}

export function isProse(path: string): boolean {
  return /\.(?:md|mdx|txt|rst|adoc|log)$/i.test(path)
}

export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

/** Synchronous: for thousands of small files, Node's thread pool takes longer than the reading. */
function readBytes(path: string, buffer: { bytes: Buffer }): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, "r")
    const status = fstatSync(file)
    if (!status.isFile() || status.size > mostBytes) return undefined
    if (status.size > buffer.bytes.length) buffer.bytes = Buffer.allocUnsafe(status.size * 2)
    return buffer.bytes.subarray(0, readSync(file, buffer.bytes, 0, status.size, 0))
  } catch {
    return undefined // deleted since it was listed, or unreadable
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const isWord = 1
const isDash = 2
const kinds = new Uint8Array(256).map((_, byte) => {
  if (byte === 0x2d) return isDash
  return byte >= 0x80 || byte === 0x5f || /[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? isWord : 0
})

/** Finds words in bytes without decoding them: a hash rules out nearly all that are not wanted. */
export function wordFinder(wanted: ReadonlySet<string>): (bytes: Buffer, found: Set<string>) => void {
  const filter = new Uint8Array(1 << 16)
  for (const word of wanted) filter[hashOf(Buffer.from(word)) & 0xffff] = 1
  return (bytes, found) => {
    const check = (start: number, end: number) => {
      const word = bytes.toString("utf8", start, end)
      if (wanted.has(word)) found.add(word)
    }
    let at = 0
    const { length } = bytes
    while (at < length) {
      while (at < length && kinds[bytes[at] as number] === 0) at++
      const start = at
      let bare = at
      let wordStart = at
      let hash = 0
      let bareHash = 0
      let wordHash = 0
      for (; at < length; at++) {
        const byte = bytes[at] as number
        const kind = kinds[byte]
        if (kind === 0) break
        hash = (Math.imul(hash, 31) + byte) | 0
        if (kind === isDash && bare === at) bare++
        else bareHash = (Math.imul(bareHash, 31) + byte) | 0
        if (kind === isWord) wordHash = (Math.imul(wordHash, 31) + byte) | 0
        else {
          if (filter[wordHash & 0xffff] === 1) check(wordStart, at)
          wordStart = at + 1
          wordHash = 0
        }
      }
      if (filter[wordHash & 0xffff] === 1) check(wordStart, at)
      if (bare < wordStart && filter[bareHash & 0xffff] === 1) check(bare, at) // dry-run
      if (start < bare && filter[hash & 0xffff] === 1) check(start, at) // --force
    }
  }
}

function hashOf(bytes: Uint8Array): number {
  return bytes.reduce((hash, byte) => (Math.imul(hash, 31) + byte) | 0, 0)
}
