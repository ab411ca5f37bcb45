import { readManagedBlock, removeManagedBlock, writeManagedBlock } from "../../formats/managed-block.ts"
import type { DreyCommand, JsonPart, TomlTable, WiredFile, Wiring, WiringPlace } from "../client-wiring.ts"
import type { FileUse } from "./file-record.ts"
import { addJsonPart, findJsonPart, isEmptyJson, type Presence, readJsonPart, removeJsonPart } from "./json-edit.ts"
import { addTomlTable, findTomlTable, readTomlTable, removeTomlTable } from "./toml-edit.ts"

/** One thing that Drey adds to a file: a value in a settings file, a block of text, or the whole file. */
export type FilePiece =
  | { format: "json"; part: JsonPart }
  | { format: "toml"; table: TomlTable }
  | { format: "block"; text: string }
  | { format: "own"; text: string }

export function piecesOf(file: WiredFile): FilePiece[] {
  if (file.format === "json") return file.parts.map((part) => ({ format: "json", part }))
  if (file.format === "toml") return file.tables.map((table) => ({ format: "toml", table }))
  return [{ format: "own", text: file.text }]
}

/** Whether a text contains a piece; a missing file is an empty text. */
export function findPiece(text: string, piece: FilePiece, name: string): Presence {
  if (piece.format === "json") return findJsonPart(text, piece.part, name)
  if (piece.format === "toml") return findTomlTable(text, piece.table, name)
  const present = piece.format === "block" ? readManagedBlock(text) : text === "" ? undefined : text
  if (present === undefined) return "absent"
  return present === piece.text ? "same" : "different"
}

/** The current value in the place of a piece of a settings file. */
export function readPiece(text: string, piece: FilePiece, name: string): unknown {
  if (piece.format === "json") return readJsonPart(text, piece.part, name)
  return piece.format === "toml" ? readTomlTable(text, piece.table, name) : undefined
}

/** The text with the piece, which replaces another version of it. */
export function addPiece(text: string, piece: FilePiece, name: string): string {
  if (piece.format === "json") return addJsonPart(text, piece.part, name)
  if (piece.format === "toml") return addTomlTable(text, piece.table, name)
  return piece.format === "block" ? writeManagedBlock(text, piece.text) : piece.text
}

/** The text without the piece. `original` is the text before Drey's first change, undefined if unknown. */
export function removePiece(text: string, piece: FilePiece, name: string, original: string | undefined): string {
  if (piece.format === "json") return removeJsonPart(text, piece.part, name, original)
  if (piece.format === "toml") return removeTomlTable(text, piece.table, name)
  if (piece.format === "block") return removeManagedBlock(text)
  return text === piece.text ? "" : text // the user has changed it, so it is kept
}

/** Whether a file is empty without Drey's pieces. */
export function isEmptyFile(text: string, pieces: readonly FilePiece[], name: string): boolean {
  return pieces.some(({ format }) => format === "json") ? isEmptyJson(text, name) : text.trim() === ""
}

/** Whether two pieces belong in the same place of a file, whatever their values. */
export function isSamePlace(one: FilePiece, other: FilePiece): boolean {
  return placeOf(one) === placeOf(other)
}

function placeOf(piece: FilePiece): string {
  if (piece.format === "toml") return `toml ${piece.table.name}`
  if (piece.format !== "json") return piece.format
  const { part } = piece
  return JSON.stringify([part.path, part.kind === "item" ? part.mark : ""])
}

/** What a client needs in a file. */
export type WantedFile = FileUse & { path: string }

/** A client to connect, where its settings are, and for which repository; null means all. */
export type ChosenClient = { wiring: Wiring; place: WiringPlace; root: string | null }

/** What clients need in their own settings. */
export function wantSettings(chosen: readonly ChosenClient[], command: DreyCommand): WantedFile[] {
  return chosen.flatMap(({ wiring, place, root }) =>
    wiring.files(place, command).map((file) => ({
      client: wiring.id,
      root,
      path: file.path,
      purpose: file.purpose,
      pieces: piecesOf(file),
    })),
  )
}
