import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { z } from "zod"
import { makeFolder, removeFileDurable, removeFolder, writeFileAtomic, writePrivateFile } from "../disk/atomic-write.ts"
import { runBareGit } from "../disk/git.ts"
import { sha256 } from "../disk/hash.ts"
import { withLock } from "../disk/lock.ts"
import { namesIn, readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { joinAll, type SyncedMemories, type SyncRecord, syncRecordShape } from "../memories/memory-sync.ts"
import type { LearningParts } from "./learning-parts.ts"

/** Where the machines of one user exchange learned memory. `key` is the path of a key file. */
export type SyncPlace = ({ git: string } | { folder: string }) & { key?: string | undefined }

export type MachineSync = {
  place: SyncPlace
  /** Memories that changed here, and files that changed there. */
  received: number
  sent: number
  /** A key file that was made: the other machines need a copy. */
  madeKey: boolean
  withheld: SyncedMemories["withheld"]
  /** Files that are not records of Drey; they were left unchanged. */
  unreadable: string[]
}

/** One file per memory. Nothing is lost between `read` and `write`: a file that changed in between is read again. */
type Exchange = {
  read(): Map<string, string>
  /** `null` removes a file. False when another machine was faster. */
  write(changes: ReadonlyMap<string, string | null>): boolean
}

const mostRounds = 10

/** Joins learned memory with a private git repository or a folder; without a place, the one used last. */
export async function syncMachines(parts: LearningParts, given: SyncPlace | undefined): Promise<MachineSync> {
  const { home, store, owner, now } = parts
  const place = given ?? readPlace(home)
  return withLock(join(home, "run", "machine-sync.lock"), async () => {
    const { seal, open, madeKey } = openSeal(place.key)
    const exchange = "git" in place ? gitExchange(place.git, home) : folderExchange(place.folder)
    let received = 0
    for (let round = 0; round < mostRounds; round++) {
      const files = exchange.read()
      const { records: remote, unreadable, copies } = readRecords(files, open)
      const { records, changed, withheld } = await store.syncWith(remote, { owner, now: now().toISOString() })
      received += changed.length
      const there = new Map(remote.map((record) => [record.id, JSON.stringify(record)]))
      const kept = new Set([...withheld.map(({ id }) => id), ...unreadable.map((name) => name.slice(0, idLength))])
      const old = copies.filter((name) => !kept.has(name.slice(0, idLength)))
      const isCopied = (id: string) => old.some((name) => name.startsWith(id)) // its own file may be older than a copy
      const news = records.filter((record) => {
        return !kept.has(record.id) && (isCopied(record.id) || there.get(record.id) !== JSON.stringify(record))
      })
      const changes = new Map<string, string | null>(old.map((name) => [name, null]))
      for (const record of news) changes.set(`${record.id}.json`, seal(record))
      if (changes.size > 0 && !exchange.write(changes)) continue
      if (given) savePlace(home, given)
      return { place, received, sent: news.length, madeKey, withheld, unreadable }
    }
    throw new DreyError("Not synced: other machines kept changing the repository", { hint: "Run it again." })
  })
}

const idLength = "m-0123456789abcdef".length

/** Files that a folder service copied after a conflict, "m-… (conflicted copy).json", count as well, then are removed. */
function readRecords(files: ReadonlyMap<string, string>, open: Seal["open"]) {
  const found: SyncRecord[] = []
  const unreadable: string[] = []
  const copies: string[] = []
  for (const [name, text] of files) {
    const record = open(name, text)
    if (record?.id !== name.slice(0, idLength)) {
      unreadable.push(name)
      continue
    }
    found.push(record)
    if (name !== `${record.id}.json`) copies.push(name)
  }
  return { records: joinAll(found, []), unreadable, copies }
}

type Seal = { seal(record: SyncRecord): string; open(name: string, text: string): SyncRecord | undefined }

const sealedShape = z.object({ drey: z.literal("sealed"), nonce: z.base64(), tag: z.base64(), data: z.base64() })
const cipher = "aes-256-gcm"

function openSeal(keyFile: string | undefined): Seal & { madeKey: boolean } {
  const parse = (text: string): SyncRecord | undefined => {
    const value = parseOrNothing(text)
    if (sealedShape.safeParse(value).success)
      throw new DreyError("Not synced: the memories there are encrypted", {
        hint: "Copy the key file from the machine that made it, and name it with --key FILE.",
      })
    return syncRecordShape.safeParse(value).data
  }
  const lines = (record: SyncRecord) => `${JSON.stringify(record, null, 1)}\n`
  if (keyFile === undefined) return { seal: lines, open: (_, text) => parse(text), madeKey: false }
  const madeKey = !existsSync(keyFile)
  if (madeKey) writePrivateFile(keyFile, `${randomBytes(32).toString("base64")}\n`)
  const key = Buffer.from(readTextFile(keyFile).text.trim(), "base64")
  if (key.length !== 32)
    throw new DreyError(`${keyFile} is not a key file of Drey`, { hint: "Name a new path to make a key." })
  return {
    madeKey,
    seal(record) {
      const nonce = randomBytes(12)
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(record.id)) // so that files cannot be swapped
      const data = Buffer.concat([sealing.update(JSON.stringify(record)), sealing.final()]).toString("base64")
      const sealed = {
        drey: "sealed",
        nonce: nonce.toString("base64"),
        tag: sealing.getAuthTag().toString("base64"),
        data,
      }
      return `${JSON.stringify(sealed)}\n`
    },
    open(name, text) {
      const value = parseOrNothing(text)
      const sealed = sealedShape.safeParse(value).data
      if (!sealed) {
        if (!syncRecordShape.safeParse(value).success) return undefined
        throw new DreyError("Not synced: the memories there are not encrypted", {
          hint: "Sync without --key, or start an empty repository with it.",
        })
      }
      try {
        const opening = createDecipheriv(cipher, key, Buffer.from(sealed.nonce, "base64"))
          .setAAD(Buffer.from(name.slice(0, idLength)))
          .setAuthTag(Buffer.from(sealed.tag, "base64"))
        return parse(Buffer.concat([opening.update(sealed.data, "base64"), opening.final()]).toString("utf8"))
      } catch (error) {
        if (error instanceof DreyError) throw error
        throw new DreyError(`Not synced: ${keyFile} does not open ${name}`, {
          hint: madeKey ? "Copy the key file from the machine that made it." : "Check that it is the same key file.",
          cause: error,
        })
      }
    },
  }
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // half a file, which its folder service is still writing: it is read again with the next sync
  }
}

const fileName = /^m-[0-9a-f]{16}[^/]*\.json$/

function folderExchange(given: string): Exchange {
  if (!statSync(given, { throwIfNoEntry: false })?.isDirectory())
    throw new DreyError(`${given} is not a folder`, { hint: "Make it in the folder that your machines share." })
  const folder = join(given, "memories")
  return {
    read: () =>
      new Map(
        namesIn(folder)
          .filter((name) => fileName.test(name))
          .map((name) => [name, readTextFile(join(folder, name)).text]),
      ),
    write(changes) {
      makeFolder(folder, 0o700)
      // Copies are removed last: what they hold is in the other files by then.
      for (const [name, text] of changes) if (text !== null) writeFileAtomic(join(folder, name), text, { mode: 0o600 })
      for (const [name, text] of changes) if (text === null) removeFileDurable(join(folder, name))
      return true
    },
  }
}

const branch = "refs/heads/main"

/** Commits onto what was fetched and pushes without force, so the history is one line and git never merges. */
function gitExchange(remote: string, home: string): Exchange {
  if (remote.startsWith("-") || remote.includes("::"))
    throw new DreyError(`"${remote}" is not the URL or path of a git repository`)
  const folder = join(home, "sync", `${sha256(remote).slice(0, 16)}.git`)
  const failed = (problem: string) =>
    new DreyError(`Not synced with ${withoutPassword(remote)}: ${withoutPassword(problem)}`, {
      hint: "Check that the repository exists, and that git can reach it from here without asking.",
    })
  const ask = (args: string[], input = "") => {
    const answer = runBareGit(folder, args, input)
    if (!answer.ok) throw failed(answer.problem)
    return answer.text
  }
  let head = ""
  return {
    read() {
      // What was fetched before is only a cache. It starts afresh: a killed git may have left a lock in it.
      removeFolder(folder)
      makeFolder(folder, 0o700)
      ask(["init", "--quiet", "--bare", "."])
      const advertised = ask(["ls-remote", "--", remote, branch])
      head = /^([0-9a-f]{40,64})\t/.exec(advertised)?.[1] ?? ""
      if (head === "") return new Map()
      ask(["fetch", "--quiet", "--no-tags", "--depth=1", "--", remote, branch])
      head = ask(["rev-parse", "FETCH_HEAD"]).trim()
      const listed = ask(["ls-tree", "-z", head, "--", "memories/"]).split("\0")
      const files = listed.flatMap((line) => {
        const [, blob = "", name = ""] = /^100\d{3} blob ([0-9a-f]+)\tmemories\/(.*)$/s.exec(line) ?? []
        return fileName.test(name) ? [{ name, blob }] : []
      })
      const texts = readBlobs(
        files.map(({ blob }) => blob),
        ask,
      )
      return new Map(files.map(({ name }, at) => [name, texts[at] ?? ""]))
    },
    write(changes) {
      const files = [...changes].map(([name, text]) =>
        text === null
          ? `D "memories/${name}"\n`
          : `M 100644 inline memories/${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      )
      const message = "Sync learned memory"
      const commit = [
        "commit refs/heads/out\n",
        `committer Drey <drey@localhost> ${Math.floor(Date.now() / 1000)} +0000\n`,
        `data ${message.length}\n${message}\n`,
        head === "" ? "" : `from ${head}\n`,
        ...files,
      ]
      ask(["fast-import", "--quiet", "--force"], commit.join(""))
      const lease = `--force-with-lease=${branch}:${head}`
      const pushed = runBareGit(folder, ["push", "--quiet", lease, "--", remote, `refs/heads/out:${branch}`])
      if (pushed.ok) return true
      const current = /^([0-9a-f]{40,64})\t/.exec(ask(["ls-remote", "--", remote, branch]))?.[1] ?? ""
      if (current === head) throw failed(pushed.problem) // nobody else pushed: trying again would not help
      return false
    },
  }
}

/** All in one process. The answer is parsed as bytes, which the sizes count. */
function readBlobs(blobs: readonly string[], ask: (args: string[], input: string) => string): string[] {
  let rest = Buffer.from(ask(["cat-file", "--batch"], blobs.map((blob) => `${blob}\n`).join("")))
  return blobs.map(() => {
    const end = rest.indexOf("\n")
    const size = Number(rest.subarray(0, end).toString().split(" ")[2])
    const text = rest.subarray(end + 1, end + 1 + size).toString("utf8")
    rest = rest.subarray(end + 2 + size)
    return text
  })
}

function withoutPassword(text: string): string {
  return text.replace(/(:\/\/)[^/\s@]*@/g, "$1")
}

const placeShape = z.union([
  z.object({ git: z.string(), key: z.string().optional() }),
  z.object({ folder: z.string(), key: z.string().optional() }),
])

function readPlace(home: string): SyncPlace {
  const path = placePath(home)
  const read = existsSync(path) ? placeShape.safeParse(parseOrNothing(readTextFile(path).text)) : undefined
  if (read?.success) return read.data
  throw new DreyError("No place to sync learned memory with", {
    hint: "Name a private git repository or a shared folder: drey learn sync --git REMOTE, or --folder DIR",
  })
}

function savePlace(home: string, place: SyncPlace): void {
  writePrivateFile(placePath(home), `${JSON.stringify(place)}\n`)
}

function placePath(home: string): string {
  return resolve(home, "sync.json")
}
