import { existsSync } from "node:fs"
import { dirname, join, sep } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { safeTarget } from "../../disk/safe-paths.ts"
import { decodeText, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { diffLines, type LineChange } from "../../formats/line-diff.ts"
import type { WiredClientId } from "../client-wiring.ts"
import { type FileRecord, type FileUse, originalOf, stateOf } from "./file-record.ts"
import { addPiece, type FilePiece, findPiece, isSamePlace, removePiece, type WantedFile } from "./pieces.ts"

/** The planned change to one file. */
export type ConnectFilePlan = {
  path: string
  clients: WiredClientId[]
  /** A short description: `MCP server`, `hooks`. */
  purpose: string
} & (
  | { change: "created" | "changed" | "none"; lines: LineChange[]; kept: string[]; writing: FileWrite | undefined }
  /** It cannot be edited; the reason is a sentence. */
  | { change: "left"; reason: string }
)

/** Everything needed to apply it; `text` is undefined if only the record changes. */
export type FileWrite = { state: string; text: string | undefined; record: FileRecord; mode: number | undefined }

/**
 * The file behind any links. A file of a repository must not lead out of it, since links come with a clone. The user's
 * own settings may be links to anywhere.
 */
export function targetOf(path: string, uses: readonly FileUse[]): string {
  const around = uses.find(({ root }) => root !== null && path.startsWith(join(root, sep)))
  return safeTarget(around?.root ?? undefined, path)
}

/** Plans the pieces that clients want in one file. Never throws on a file's content: such a file is left unchanged. */
export function planFile(
  path: string,
  wanted: readonly WantedFile[],
  records: ReadonlyMap<string, FileRecord>,
): ConnectFilePlan {
  const clients = [...new Set(wanted.map(({ client }) => client))]
  const purpose = [...new Set(wanted.map((each) => each.purpose))].join(", ")
  try {
    return { path, clients, purpose, ...planPieces(path, wanted, records) }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { path, clients, purpose, change: "left", reason: [error.message, error.hint].filter(Boolean).join(". ") }
  }
}

function planPieces(path: string, wanted: readonly WantedFile[], records: ReadonlyMap<string, FileRecord>) {
  const record = records.get(path)
  const bytes = readBytes(targetOf(path, wanted))
  const text = bytes === undefined ? "" : decodeText(bytes, path)
  const pieces = distinct(wanted.flatMap((each) => each.pieces))
  const { after, kept } = addPieces(text, pieces, path, record)
  const uses = mergeUses(record?.uses ?? [], wanted)
  const state = stateOf(bytes)
  if (after === text) {
    const isNews = record !== undefined && !isDeepStrictEqual(record.uses, uses)
    const writing = isNews ? { state, text: undefined, record: { ...record, uses }, mode: undefined } : undefined
    return { change: "none" as const, lines: [], kept, writing }
  }
  const next: FileRecord = {
    version: 1,
    path,
    original: originalFor({ path, bytes, text, record, pieces })?.toString("base64") ?? null,
    states: [state, stateOf(Buffer.from(after))],
    folders: foldersFor(path, records),
    uses,
  }
  return {
    change: bytes === undefined ? ("created" as const) : ("changed" as const),
    lines: diffLines(text, after),
    kept,
    writing: { state, text: after, record: next, mode: modeFor(path, wanted) },
  }
}

/** For a new file: settings outside of repositories may later contain secrets. */
function modeFor(path: string, wanted: readonly WantedFile[]): number | undefined {
  return wanted.every(({ root }) => root === null || !path.startsWith(root)) ? 0o600 : undefined
}

/** A value that differs from Drey's last one was set by the user, and is kept. */
function addPieces(text: string, pieces: readonly FilePiece[], path: string, record: FileRecord | undefined) {
  const known = (record?.uses ?? []).flatMap((use) => use.pieces)
  const kept: string[] = []
  let after = text
  for (const piece of pieces) {
    const presence = findPiece(after, piece, path)
    if (presence === "same") continue
    const last = known.filter((each) => isSamePlace(each, piece))
    const isOurs = piece.format === "block" || last.some((each) => findPiece(after, each, path) === "same")
    if (presence === "absent" || isOurs) after = addPiece(after, piece, path)
    else kept.push(keptSentence(piece))
  }
  return { after, kept }
}

/** Original contents to restore on disconnect. If the user edited the file since, their version minus Drey's pieces. */
function originalFor(file: {
  path: string
  bytes: Buffer | undefined
  text: string
  record: FileRecord | undefined
  pieces: readonly FilePiece[]
}): Buffer | undefined {
  const { path, bytes, text, record, pieces } = file
  if (record?.states.includes(stateOf(bytes))) return originalOf(record)
  if (bytes === undefined) return undefined
  const before = record && originalOf(record)
  const present = distinct([...(record?.uses ?? []).flatMap((use) => use.pieces), ...pieces])
  const own = present.filter((piece) => findPiece(text, piece, path) === "same" || record !== undefined)
  const rest = own.reduce((rest, piece) => removePiece(rest, piece, path, before?.toString()), text)
  return rest === text ? bytes : Buffer.from(rest)
}

function mergeUses(old: readonly FileUse[], wanted: readonly WantedFile[]): FileUse[] {
  const fresh = wanted.map(({ path: _, ...use }) => use)
  const isReplaced = (use: FileUse) =>
    fresh.some((each) => each.client === use.client && each.root === use.root && each.purpose === use.purpose)
  return [...old.filter((use) => !isReplaced(use)), ...fresh]
}

/** Folders that do not exist yet, or were created for another file of Drey's. */
function foldersFor(path: string, records: ReadonlyMap<string, FileRecord>): string[] {
  const made = new Set([...records.values()].flatMap(({ folders }) => folders))
  const folders: string[] = []
  for (let folder = dirname(path); dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(folder) && !made.has(folder)) break
    folders.push(folder)
  }
  return folders
}

function keptSentence(piece: FilePiece): string {
  if (piece.format === "own") return "it already exists and was not written by Drey"
  const place = piece.format === "toml" ? piece.table.name : piece.format === "json" ? piece.part.path.join(".") : ""
  return `${place} is already set to something else; it is unchanged`
}

/** The bytes of a file, if it exists; throws for anything but text, and keeps every byte of text. */
export function readBytes(path: string): Buffer | undefined {
  return existsSync(path) ? Buffer.from(readTextFile(path).text) : undefined
}

export function distinct(pieces: readonly FilePiece[]): FilePiece[] {
  return pieces.filter((piece, at) => pieces.findIndex((other) => isDeepStrictEqual(other, piece)) === at)
}
