import { randomUUID } from "node:crypto"
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import {
  appendFileDurable,
  removeFileDurable,
  renameFileDurable,
  replaceEnd,
  writePrivateFile,
} from "../disk/atomic-write.ts"
import { sha256 } from "../disk/hash.ts"
import { requireInRepository } from "../disk/safe-paths.ts"

/** Where a team folder keeps its audit, and its maximum size; `state` is the folder in Drey's home for the chain's last known position. */
export type AuditPlace = { storeFolder: string; state: string; maxBytes: number; maxArchives: number }

/** An audit line as stored in a file. */
export type AuditEntry = { path: string; line: number; text: string }

/** The last line this clone wrote, and the chains it gave up. It is in Drey's home: a clone cannot bring one. */
export type WriterState = {
  writer: string
  seq: number
  hash: string
  ended: { writer: string; seq: number; hash: string }[]
}

/** Adds a record to this clone's chain; when it returns, it is on disk. Call it under the store's lock. */
export function appendAudit(place: AuditPlace, record: AuditRecord): void {
  const folder = auditFolder(place.storeFolder)
  const path = requireInRepository({ path: place.storeFolder }, "memory/audit.jsonl")
  rotate(folder, place)
  const state = currentChain(place)
  const link = { writer: state.writer, seq: state.seq + 1, prev: state.hash }
  const { text, hash } = chainLine(record, link)
  appendFileDurable(path, `${endsInsideLine(path) ? "\n" : ""}${text}\n`)
  writeState(place.state, { ...state, seq: link.seq, hash })
}

/** All records, oldest file first, each once: a union of two branches may hold a line twice. A damaged line is skipped with a warning. */
export function readAudit(storeFolder: string): { records: AuditRecord[]; warnings: string[] } {
  const records: AuditRecord[] = []
  const warnings: string[] = []
  const seen = new Set<string>()
  for (const { path, line, text } of auditEntries(storeFolder)) {
    const read = readAuditLine(text)
    if (read.kind === "chained" && seen.has(text)) continue
    seen.add(text)
    if (read.kind === "damaged") warnings.push(`${path}:${line} is not an audit record; it was skipped`)
    else records.push(read.record)
  }
  return { records, warnings }
}

/** The lines of all audit files, oldest file first; paths are relative to the team folder. */
export function auditEntries(storeFolder: string): AuditEntry[] {
  const folder = auditFolder(storeFolder)
  return auditFiles(folder).flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .map((text, index) => ({ path: `memory/${name}`, line: index + 1, text: text.replace(/\r$/, "") }))
      .filter(({ text }) => text.trim() !== ""),
  )
}

/** What this clone remembers of its chain; undefined before its first line. */
export function readWriterState(stateFolder: string): WriterState | undefined {
  const path = statePath(stateFolder)
  if (!existsSync(path)) return undefined
  try {
    const state = JSON.parse(readFileSync(path, "utf8")) as WriterState
    const isWhole = typeof state.writer === "string" && typeof state.seq === "number" && Array.isArray(state.ended)
    return isWhole ? state : undefined
  } catch {
    return undefined // a power failure may leave half of it; the next line starts a new chain
  }
}

/** Whether rotation may have removed the oldest lines, so that a chain need not start with its first. */
export function isFullOfArchives(storeFolder: string, maxArchives: number): boolean {
  return maxArchives < 1 || existsSync(join(auditFolder(storeFolder), `audit.${maxArchives}.jsonl`))
}

/**
 * Continues this clone's chain where it ends in the files. If lines are missing (another branch was checked out, or they were removed), a
 * new chain starts, as it does for a copied folder, which has no recorded state, so that no chain ever forks.
 */
function currentChain({ storeFolder, state: stateFolder, maxArchives }: AuditPlace): WriterState {
  const state = readWriterState(stateFolder)
  const fresh = { writer: randomUUID(), seq: 0, hash: "", ended: [] }
  if (!state) return fresh
  const last = lastLinkOf(storeFolder, state.writer) ?? (maxArchives < 1 ? state : undefined)
  const continues = last !== undefined && (last.seq > state.seq || (last.seq === state.seq && last.hash === state.hash))
  if (continues) return { ...state, seq: last.seq, hash: last.hash }
  const { writer, seq, hash } = state
  return { ...fresh, ended: [...state.ended, { writer, seq, hash }].slice(-keptEnds) }
}

const keptEnds = 100

/**
 * Forgets the ends of chains that git removed, so that they are no longer reported. A new chain starts: the lines fit again if git brings
 * them back.
 */
export function forgetChainEnds(stateFolder: string, writers: readonly string[]): void {
  const state = readWriterState(stateFolder)
  if (!state) return
  const ended = state.ended.filter(({ writer }) => !writers.includes(writer))
  const current = writers.includes(state.writer) ? { writer: randomUUID(), seq: 0, hash: "" } : {}
  writeState(stateFolder, { ...state, ...current, ended })
}

function lastLinkOf(storeFolder: string, writer: string): { seq: number; hash: string } | undefined {
  const folder = auditFolder(storeFolder)
  for (const name of auditFiles(folder).toReversed()) {
    const path = join(folder, name)
    const found = lastLinkIn(readEnd(path), writer) ?? lastLinkIn(readFileSync(path, "utf8"), writer)
    if (found) return found
  }
  return undefined
}

function lastLinkIn(text: string, writer: string): { seq: number; hash: string } | undefined {
  for (let end = text.length; end > 0; ) {
    const start = text.lastIndexOf("\n", end - 1)
    const line = text.slice(start + 1, end)
    end = start
    if (!line.includes(writer)) continue
    const read = readAuditLine(line)
    if (read.kind === "chained" && read.link.writer === writer) return read.link
  }
  return undefined
}

const endBytes = 16 * 1024

/** The last part of a file: enough, nearly always, to hold this clone's last line. */
function readEnd(path: string): string {
  const handle = openSync(path, "r")
  try {
    const { size } = fstatSync(handle)
    const buffer = Buffer.alloc(Math.min(size, endBytes))
    readSync(handle, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString("utf8")
  } finally {
    closeSync(handle)
  }
}

function endsInsideLine(path: string): boolean {
  if (!existsSync(path)) return false
  const end = readEnd(path)
  return end !== "" && !end.endsWith("\n")
}

/** Makes room: the full file becomes `audit.1.jsonl`, and so on. A gap that a killed process left is filled, nothing lost to it. */
function rotate(folder: string, { maxBytes, maxArchives }: AuditPlace): void {
  const path = join(folder, "audit.jsonl")
  if (maxBytes <= 0 || !existsSync(path) || statSync(path).size < maxBytes) return
  const archive = (number: number) => join(folder, `audit.${number}.jsonl`)
  if (maxArchives < 1) {
    removeFileDurable(path)
    return
  }
  let free = 1
  while (free < maxArchives && existsSync(archive(free))) free++
  for (let number = free - 1; number >= 1; number--) renameFileDurable(archive(number), archive(number + 1))
  renameFileDurable(path, archive(1))
}

/** Oldest first. */
function auditFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  const numberOf = (name: string) => Number(/^audit\.(\d+)\.jsonl$/.exec(name)?.[1] ?? 0)
  return readdirSync(folder)
    .filter((name) => /^audit(?:\.\d+)?\.jsonl$/.test(name))
    .sort((one, other) => numberOf(other) - numberOf(one))
}

/**
 * Not synced: after a power cut it may lag behind the files, and `currentChain` goes by the files then. One page is written in place, which
 * is whole after a kill too; to replace a file by another one, ext4 waits for the disk.
 */
function writeState(stateFolder: string, state: WriterState): void {
  const path = statePath(stateFolder)
  const text = `${JSON.stringify(state)}\n`
  const isReplaced = replaceEnd(path, { bytes: 4096, derived: true }, (old, isWhole) =>
    isWhole && text.length <= 4096 ? { keep: 0, text: text.padEnd(old.length) } : undefined,
  )
  if (!isReplaced) writePrivateFile(path, text, { derived: true })
}

function statePath(stateFolder: string): string {
  return join(stateFolder, "writer.json")
}

function auditFolder(storeFolder: string): string {
  return join(storeFolder, "memory")
}

/** The position of a line in its chain. Each clone of a repository has its own chain, so that a merge breaks none. */
export type ChainLink = { writer: string; seq: number; prev: string; hash: string }

/** One line of the audit: what happened, never the content it happened to. */
export type AuditRecord = {
  timestamp: string
  action: AuditAction
  id?: string
  class?: string
  title?: string
  path?: string
  reason?: string
  actor?: string
  provider?: string
}

export type AuditAction =
  | "classify"
  | "write"
  | "reject"
  | "promote"
  | "delete"
  | "search"
  | "read"
  | "configure"
  | "provider-error"

/** The text of a record as the next line of a chain. The hash covers all of the line before it, the previous hash included. */
export function chainLine(record: AuditRecord, link: Omit<ChainLink, "hash">): { text: string; hash: string } {
  const open = JSON.stringify({ ...record, ...link }).slice(0, -1)
  const hash = sha256(open)
  return { text: `${open},"hash":"${hash}"}`, hash }
}

export type AuditLine =
  | { kind: "chained"; record: AuditRecord; link: ChainLink; authentic: boolean }
  | { kind: "foreign"; record: AuditRecord } // written by another tool that does not write chains
  | { kind: "damaged" }

export function readAuditLine(text: string): AuditLine {
  const value = parseObject(text)
  if (value === undefined) return { kind: "damaged" }
  const { writer, seq, prev, hash, ...record } = value
  const known = record as AuditRecord
  if (hash === undefined && writer === undefined) return { kind: "foreign", record: known }
  if (typeof writer !== "string" || typeof seq !== "number" || typeof prev !== "string" || typeof hash !== "string") {
    return { kind: "damaged" }
  }
  const end = text.lastIndexOf(',"hash":"')
  const authentic = text === `${text.slice(0, end)},"hash":"${hash}"}` && sha256(text.slice(0, end)) === hash
  return { kind: "chained", record: known, link: { writer, seq, prev, hash }, authentic }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // a line that was cut off or edited by hand: the caller counts it as damaged
  }
  return undefined
}
