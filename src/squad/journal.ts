import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../disk/sha256.ts"
import { writeFileAtomic } from "../disk/write-file-atomic.ts"
import type { StoreFolder } from "./find-store.ts"
import type { RecordChange } from "./index-records.ts"

/** What a change did at one path below the team folder. */
export type Step =
  /** `before` and `after` are hashes; the texts stand beside the manifest, named by the step's number. */
  | { kind: "file"; path: string; before: string | null; after: string | null }
  /** The index is a cache that every command writes into, so only the records concerned are kept. */
  | { kind: "index"; path: string; existed: boolean; records: RecordChange[] }
  /** No text is kept: what is moved may be a secret. `back` is where it goes when the name it had must not be kept either. */
  | { kind: "move"; path: string; from: string; back?: string }
  /** Text added to the end, from byte `start` on; `null` when the file was not there. `added` is its hash. */
  | { kind: "append"; path: string; start: number | null; added: string }

export type Manifest = {
  version: 1
  id: string
  command: string
  createdAt: string
  state: "applying" | "done" | "undoing" | "undone"
  movedAside?: string
  files: Step[]
}

const keptChanges = 50

/** Oldest first. */
export function readManifests(folder: StoreFolder): Manifest[] {
  const root = changesFolder(folder)
  if (!existsSync(root)) return []
  return readdirSync(root)
    .sort()
    .map((id) => join(root, id, "manifest.json"))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, "utf8")) as Manifest)
    .map((manifest) => ({
      ...manifest,
      files: manifest.files.map((step) => ({ ...step, kind: step.kind ?? "file" }) as Step),
    }))
}

export function writeManifest(folder: StoreFolder, manifest: Manifest): void {
  writeFileAtomic(join(changesFolder(folder), manifest.id, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Keeps the text of one side of a step. Call it before the manifest is written, which makes the change count. */
export function keepText(
  folder: StoreFolder,
  id: string,
  position: number,
  side: "before" | "after",
  text: string | null,
): void {
  if (text !== null) writeFileAtomic(join(changesFolder(folder), id, `${position}.${side}`), text)
}

export function keptText(folder: StoreFolder, id: string, position: number, side: "before" | "after"): string {
  return readFileSync(join(changesFolder(folder), id, `${position}.${side}`), "utf8")
}

/** Sorts by age: a number that grows, and the time to the second. */
export function nextId(folder: StoreFolder, now: Date): string {
  const time = `${now.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`
  const root = changesFolder(folder)
  const numbers = existsSync(root) ? readdirSync(root).map((name) => Number(/^(\d+)-/.exec(name)?.[1] ?? 0)) : []
  return `${String(Math.max(0, ...numbers) + 1).padStart(8, "0")}-${time}`
}

export function forgetOldChanges(folder: StoreFolder): void {
  const root = changesFolder(folder)
  for (const id of readdirSync(root).sort().slice(0, -keptChanges))
    rmSync(join(root, id), { recursive: true, force: true })
}

export function changesFolder(folder: StoreFolder): string {
  return join(folder.path, ".drey", "changes")
}

export function hashOf(text: string | Uint8Array | null): string | null {
  return text === null ? null : sha256(text)
}
