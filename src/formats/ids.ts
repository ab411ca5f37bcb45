import { sha256 } from "@noble/hashes/sha256"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import type { Entry } from "./entry.ts"
import { collapseWhiteSpace } from "./source-text.ts"
import { dateOf, instantOf } from "./timestamp.ts"

/** Whether a text can be an entry's id: a plain name, which leads to no other place where it becomes part of a path. */
export function isEntryId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(text)
}

/**
 * The id of an entry: the stated one, otherwise a hash of time, type, author and title. Body, file and spelling of the offset are not
 * included, so an entry keeps its id when it is edited, moved or converted.
 */
export function entryId(entry: Entry): string {
  return entry.id ?? derivedId(entry)
}

export function derivedId(entry: Entry): string {
  // The seconds of a day-only entry depend on its neighbours and must not enter.
  const when =
    entry.precision === "day" ? dateOf(entry.timestamp) : String(Math.floor(instantOf(entry.timestamp) / 1000))
  const title = collapseWhiteSpace(entry.title.normalize("NFC"))
  return `sem-${hash([when, entry.type, entry.author.toLowerCase(), title].join("\n")).slice(0, 12)}`
}

/** A fingerprint of an entry's content, to distinguish copies from different entries with the same id. */
export function bodyHash(entry: Entry): string {
  return hash(collapseWhiteSpace([entry.summary, entry.details ?? "", entry.rationale ?? ""].join("\n")))
}

/**
 * Returns every entry's id, in order. Copies share an id; an entry with the same id and another body gets a suffix of its body's hash, so
 * that both can be named.
 */
export function assignIds(entries: readonly Entry[]): string[] {
  const firstById = new Map<string, Entry>()
  return entries.map((entry) => {
    if (entry.id) return entry.id
    const id = derivedId(entry)
    const first = firstById.get(id)
    if (first === undefined) {
      firstById.set(id, entry)
      return id
    }
    const own = bodyHash(entry)
    return own === bodyHash(first) ? id : `${id}-${own.slice(0, 4)}`
  })
}

// Node's own hash needs no warming up; in a browser, the same function in JavaScript.
const native = globalThis.process?.getBuiltinModule?.("node:crypto")

function hash(text: string): string {
  if (native) return native.createHash("sha256").update(text).digest("hex")
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/**
 * The ids that a typed one matches: the exact one, otherwise all that begin with it. The `sem-` or `m-` prefix may be omitted, and
 * `m:4f2a91` and `[sem-3f9a2c41]`, as contexts write them, are understood.
 */
export function matchIds(typed: string, ids: Iterable<string>): string[] {
  const beginnings = idPrefixes(typed)
  const [exact] = beginnings
  const known = new Set(ids)
  if (exact !== undefined && known.has(exact)) return [exact]
  return namesAnId(typed) ? [...known].filter((id) => beginnings.some((each) => id.startsWith(each))) : []
}

/** The ids that a typed one may be the beginning of, for a list that can be queried by prefix: the first is the id as typed. */
export function idPrefixes(typed: string): string[] {
  const id = plainId(typed)
  return /^(?:sem|m)-/.test(id) ? [id] : [id, `sem-${id}`, `m-${id}`]
}

/** An empty id, or its kind alone, begins too many others to mean one. */
export function namesAnId(typed: string): boolean {
  return plainId(typed).replace(/^(?:sem|m)-/, "") !== ""
}

function plainId(typed: string): string {
  return typed
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/^m:/, "m-")
}

/** How contexts name a learned memory, short enough to repeat: the beginning of its id. */
export function handleOf(id: string): string {
  return id.replace(/^m-([0-9a-f]{6})[0-9a-f]*$/, "m:$1")
}

/** How contexts name an item: eight characters of a hash are unique within a repository, and every command accepts a unique prefix. */
export function contextId(id: string): string {
  if (id.startsWith("m-")) return handleOf(id)
  return id
    .replace(/^(sem-[0-9a-f]{8})[0-9a-f]{4}$/, "$1")
    .replace(/^([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "$1")
}

/** `project.test.command`, `user.pref.test_style`: the fact a memory states, in lower case; undefined for anything else. */
export function parseMemoryKey(text: string): string | undefined {
  const key = text.trim().toLowerCase()
  return /^(?:project|user)(?:\.[a-z][a-z0-9_]{0,39}){1,3}$/.test(key) ? key : undefined
}

/** A task by its words alone: white space and case do not make another one. */
export function taskHashOf(task: string): string {
  return bytesToHex(sha256(utf8ToBytes(collapseWhiteSpace(task).toLowerCase()))).slice(0, 16)
}
