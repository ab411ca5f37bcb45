import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { decodeText } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { allWirings } from "../all-clients.ts"
import type { WiredClientId, Wiring, WiringScope } from "../client-wiring.ts"
import { opencodePlugin } from "../opencode/wiring.ts"
import { foldersBelow } from "./connect-files.ts"
import { type ConnectParts, readSkills, wantSkills, wiringNamed } from "./connect-plan.ts"
import { contextFileNames } from "./context-files.ts"
import { distinct, readBytes, targetOf } from "./file-plan.ts"
import { type FileRecord, type FileUse, originalOf, readRecords, stateOf } from "./file-record.ts"
import {
  addPiece,
  type ChosenClient,
  type FilePiece,
  findPiece,
  isEmptyFile,
  piecesOf,
  removePiece,
  type WantedFile,
  wantSettings,
} from "./pieces.ts"

export type DisconnectOptions = { clients?: readonly string[]; scope?: WiringScope }

/** The change to one file. */
export type FileRestoration = {
  path: string
  clients: WiredClientId[]
  /**
   * `restored` to its original bytes; `removed` because it did not exist before; `cleaned` of Drey's pieces alone
   * because it was changed since or has no record; `kept` because the user changed it or others still use it; `none`
   * because it has nothing of Drey's any more; `left` because it cannot be edited.
   */
  change: "restored" | "removed" | "cleaned" | "kept" | "none" | "left"
  note?: string
  writing: RestoreStep
}

/** `bytes` undefined removes the file; `record` undefined removes the record. `target` is the file behind any links. */
export type RestoreStep = {
  target: string
  state: string
  isWritten: boolean
  bytes: Buffer | undefined
  record: FileRecord | undefined
  folders: string[]
}

export type DisconnectPlan = { files: FileRestoration[] }

/** Plans the changes; nothing is written. */
export function planDisconnect(parts: ConnectParts, options: DisconnectOptions): DisconnectPlan {
  const named = (options.clients ?? []).map((name) => wiringNamed(name).id)
  const isMeant = (client: WiredClientId) => named.length === 0 || named.includes(client)
  const records = readRecords(parts.home)
  const files: FileRestoration[] = []
  for (const record of records.values()) {
    const gone = record.uses.filter((use) => isMeant(use.client) && isHere(use, parts.root, options.scope))
    if (gone.length > 0) files.push(explained(record.path, gone, () => restore(record, gone)))
  }
  for (const { path, uses, top } of listCleanupFiles(
    parts,
    allWirings.filter(({ id }) => isMeant(id)),
    options.scope,
  )) {
    if (records.has(path) || !existsSync(path)) continue
    const swept = explained(path, uses, () => planCleanup(path, uses, top))
    if (swept.change !== "none") files.push(swept)
  }
  return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)) }
}

/** Whether a use belongs to this repository, to all, or to one that no longer exists. */
function isHere({ root }: FileUse, here: string, scope: WiringScope | undefined): boolean {
  if (scope === "user") return root === null
  if (scope === "project") return root === here
  return root === null || root === here || !existsSync(root)
}

function restore(record: FileRecord, gone: readonly FileUse[]): Omit<FileRestoration, "path" | "clients"> {
  const { path, folders } = record
  const target = targetOf(path, record.uses)
  const bytes = readBytes(target)
  const state = stateOf(bytes)
  const original = originalOf(record)
  const stay = record.uses.filter((use) => !gone.includes(use))
  const staying = distinct(stay.flatMap((use) => use.pieces))
  const next = stay.length === 0 ? undefined : record
  const done = (change: FileRestoration["change"], after: Buffer | undefined, note?: string) => {
    const isWritten = stateOf(after) !== state
    const states = isWritten ? [state, stateOf(after)] : record.states
    const kept = next && { ...next, uses: stay, states }
    const writing = { target, state, isWritten, bytes: after, record: kept, folders: kept ? [] : folders }
    const unwritten = stay.length > 0 ? ("kept" as const) : ("none" as const)
    return { change: isWritten ? change : unwritten, writing, ...(note === undefined ? {} : { note }) }
  }
  if (state === stateOf(original) && stay.length === 0) return done("none", bytes)
  if (record.states.includes(state)) {
    if (staying.length === 0) return done(original ? "restored" : "removed", original)
    const text = staying.reduce((rest, piece) => addPiece(rest, piece, path), original?.toString() ?? "")
    return done("cleaned", Buffer.from(text), usedBy(stay))
  }
  if (bytes === undefined) return done("none", undefined, "it no longer exists")
  const leaving = distinct(gone.flatMap((use) => use.pieces)).filter(
    (piece) => !staying.some((other) => isDeepStrictEqual(piece, other)),
  )
  if (leaving.some((piece) => piece.format === "own"))
    return { ...done("kept", bytes, "you have changed it, so it is kept"), change: "kept" }
  const text = decodeText(bytes, path)
  const rest = leaving.reduce((left, piece) => removePiece(left, piece, path, original?.toString()), text)
  if (original === undefined && staying.length === 0 && isEmptyFile(rest, leaving, path))
    return done("removed", undefined)
  const note = "it was changed since, so only Drey's entries were removed"
  return done("cleaned", rest === text ? bytes : Buffer.from(rest), note)
}

function usedBy(stay: readonly FileUse[]): string {
  const others = stay.map(({ client, root }) => (root === null ? client : `${client} in ${root}`))
  return `still used by ${[...new Set(others)].join(", ")}`
}

/** Removes Drey's pieces by name and mark from files without a record. */
function planCleanup(path: string, uses: readonly FileUse[], top: string): Omit<FileRestoration, "path" | "clients"> {
  const target = targetOf(path, uses)
  const bytes = readBytes(target)
  const text = bytes === undefined ? "" : decodeText(bytes, path)
  const pieces = distinct(uses.flatMap((use) => use.pieces))
  const present = pieces.filter((piece) => isThere(text, piece, path))
  const rest = present.reduce((left, piece) => removePiece(left, piece, path, undefined), text)
  const isGone = rest !== text && isEmptyFile(rest, pieces, path)
  const after = rest === text ? bytes : isGone ? undefined : Buffer.from(rest)
  const writing = {
    target,
    state: stateOf(bytes),
    isWritten: rest !== text,
    bytes: after,
    record: undefined,
    folders: isGone ? foldersBelow(top, path) : [],
  }
  if (rest === text) return { change: "none", writing }
  const note = "Drey has no record of it, so only entries with Drey's name were removed"
  return { change: isGone ? "removed" : "cleaned", note, writing }
}

function isThere(text: string, piece: FilePiece, path: string): boolean {
  const presence = findPiece(text, piece, path)
  return presence === "same" || (presence === "different" && piece.format !== "own")
}

function explained(
  path: string,
  uses: readonly FileUse[],
  plan: () => Omit<FileRestoration, "path" | "clients">,
): FileRestoration {
  const clients = [...new Set(uses.map(({ client }) => client))]
  try {
    return { path, clients, ...plan() }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    const nothing = { target: path, state: "", isWritten: false, bytes: undefined, record: undefined, folders: [] }
    return { path, clients, change: "left", note: error.message, writing: nothing }
  }
}

/** A file that may contain something of Drey's; folders below `top` that become empty are removed too. */
export type CleanupFile = { path: string; uses: FileUse[]; top: string }

/** Every place where connecting any of these clients could have written something. */
function listCleanupFiles(
  { machine, root, command, teamFolder }: ConnectParts,
  wirings: readonly Wiring[],
  scope: WiringScope | undefined,
): CleanupFile[] {
  const files = new Map<string, CleanupFile>()
  for (const each of scope === undefined ? (["project", "user"] as const) : [scope]) {
    const chosen = wirings.map(
      (wiring): ChosenClient => ({
        wiring,
        place: { ...machine, root, scope: each },
        root: each === "project" ? root : null,
      }),
    )
    const wanted = [
      ...wantSettings(chosen, command),
      ...wantSkills(chosen, readSkills(teamFolder)),
      ...chosen.filter(({ wiring }) => wiring.id === "opencode").map((one) => pluginOf(one, command)),
      ...(each === "project" ? chosen.flatMap((one) => blocksOf(one)) : []),
    ]
    for (const { path, ...use } of wanted) {
      const file = files.get(path) ?? { path, uses: [], top: each === "project" ? root : machine.home }
      file.uses.push(use)
      files.set(path, file)
    }
  }
  return [...files.values()]
}

function pluginOf({ wiring, place, root }: ChosenClient, command: ConnectParts["command"]): WantedFile {
  const file = opencodePlugin(place, command)
  return { client: wiring.id, root, path: file.path, purpose: file.purpose, pieces: piecesOf(file) }
}

/** A block is recognized by its marks, whatever its text. */
function blocksOf({ wiring, place, root }: ChosenClient): WantedFile[] {
  return contextFileNames.map((name) => ({
    client: wiring.id,
    root,
    path: join(place.root, name),
    purpose: "rules",
    pieces: [{ format: "block", text: "" }],
  }))
}
