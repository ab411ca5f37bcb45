import { existsSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { copyFileVerified, replaceEnd, writeFileAtomic } from "../../disk/atomic-write.ts"
import { isDreyName, partsOf, requireInRepository } from "../../disk/safe-paths.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import {
  defaultLoadGuidance,
  type LoadGuidance,
  type MemoryClass,
  readLoadGuidance,
} from "../../governance/classify.ts"
import { generated } from "../../governance/cleared.ts"
import { listEntryFiles } from "../team-files.ts"
import type { StoreFolder } from "../team-folder.ts"

/** One element of `memory/index.json`; unknown keys are kept. */
export type IndexRecord = {
  id: string
  class: MemoryClass
  loadGuidance: LoadGuidance
  title: string
  /** Path from the repository root, with forward slashes; for an external memory, its provider's name for it. */
  path: string
  status: "active" | "deleted" | "superseded"
  supersedes?: string
  supersededBy?: string
  createdAt: string
  updatedAt: string
  deletedAt?: string
  /** The entry's id, if it is in a larger file. */
  anchor?: string
  /** The ids of its copies, by provider. */
  copies?: Record<string, string>
}

/** For a corrupt file, `records` are the valid elements; of one that was cut off, those before the cut. */
export type MemoryIndexFile = { kind: "read" | "corrupt"; records: IndexRecord[] } | { kind: "absent" }

export function readIndexFile(folder: StoreFolder): MemoryIndexFile {
  const path = indexPath(folder)
  if (!existsSync(path)) return { kind: "absent" }
  try {
    const { text } = readTextFile(path)
    const value = parseList(text) ?? parseList(readTextFile(path).text) // again: a record may just have been added
    const elements = value ?? parseList(`${text.slice(0, text.lastIndexOf("\n  }"))}\n  }]`) ?? []
    const good = elements.filter(isRecord)
    const isWhole = value !== undefined && good.length === elements.length
    return { kind: isWhole ? "read" : "corrupt", records: good.map(normalize) }
  } catch (error) {
    if (error instanceof DreyError) return { kind: "corrupt", records: [] }
    throw error
  }
}

function parseList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined // the index is rebuilt
  }
}

export function writeIndex(folder: StoreFolder, records: readonly IndexRecord[]): void {
  writeFileAtomic(requireInRepository(folder, "memory/index.json"), generated(`${JSON.stringify(records, null, 2)}\n`))
}

/** Keeps the index out of commits; `init` writes it unless git tracks the index. */
export const indexIgnore = {
  path: "memory/.gitignore",
  text: "# Derived from the entries; Drey rebuilds it.\n/index.json\n/index.json.corrupt\n",
}

/**
 * Whether the index may belong to another branch: git ignores it (`indexIgnore`), and its source files are newer. A committed index
 * always matches its branch.
 */
export function isOutdated(folder: StoreFolder): boolean {
  const ignore = join(folder.path, indexIgnore.path)
  if (!existsSync(ignore) || !/^\/?index\.json\s*$/m.test(readFileSync(ignore, "utf8"))) return false
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const places = [...entryFolders, "memory/tombstones"].map((name) => join(folder.path, name))
  const newest = Math.max(...[...places, ...listEntryFiles(folder).map(({ absolute }) => absolute)].map(timeOf))
  return newest > timeOf(indexPath(folder))
}

/** The folders of governed memories with files of their own. */
export const entryFolders = ["memory/local", "memory/policy-inbox", "decisions/inbox"]

export function hasTombstone(folder: StoreFolder, id: string): boolean {
  return existsSync(join(folder.path, "memory", "tombstones", `${encodeURIComponent(id)}.json`))
}

export function hasIndex(folder: StoreFolder): boolean {
  return existsSync(indexPath(folder))
}

/** Copies a corrupt index aside for inspection. */
export function setCorruptIndexAside(folder: StoreFolder): string {
  const aside = requireInRepository(folder, "memory/index.json.corrupt")
  copyFileVerified(indexPath(folder), aside)
  return aside
}

/**
 * Appends one record before the closing bracket without reading or writing the rest. The record of a memory with its own file is not synced:
 * a power failure may take it, and the next reader finds the file. False if the index is missing, has another name too, or does not end
 * like one: then it must be rebuilt first.
 */
export function appendToIndex(folder: StoreFolder, record: IndexRecord): boolean {
  const path = requireInRepository(folder, "memory/index.json")
  const text = JSON.stringify(record, null, 2).replace(/^/gm, "  ")
  return replaceEnd(path, { bytes: 200, derived: hasOwnFile(record) }, (end, isWhole) => {
    const found = (isWhole && /^(\s*\[)\s*\]\s*$/.exec(end)) || /(\})\s*\]\s*$/.exec(end)
    if (!found?.[1]) return undefined
    return { keep: found.index + found[1].length, text: generated(`${found[1] === "}" ? "," : ""}\n${text}\n]\n`) }
  })
}

function hasOwnFile(record: IndexRecord): boolean {
  return record.anchor === undefined && entryFolders.includes(posix.dirname(pathBelow(record)))
}

/** A record's path, below the team folder. */
export function pathBelow({ path }: { path: string }): string {
  return path.replace(/^\.(?:squad|ai-team)\//, "")
}

/** The path of a record's file; undefined for a memory that only a provider has. */
export function fileOfRecord(folder: StoreFolder, record: IndexRecord): string | undefined {
  const below = /^\.(?:squad|ai-team)\/(.+)$/.exec(record.path)?.[1]
  if (below !== undefined && !partsOf(below).some((part) => part === ".." || isDreyName(part))) {
    requireInRepository(folder, below, `${folder.name}/${below}`)
    return join(folder.path, below)
  }
  if (below === undefined && /^[\w-]{2,}:/.test(record.path)) return undefined
  throw new DreyError(`Unsafe memory path blocked: the record ${record.id} of ${folder.name}/memory/index.json`, {
    hint: "The path of a record must be below .squad/.",
  })
}

function indexPath(folder: StoreFolder): string {
  return join(folder.path, "memory", "index.json")
}

/** A record needs an id and a path; other known keys must be strings if present. */
function isRecord(value: unknown): value is IndexRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const { id, path, ...rest } = value as Record<string, unknown>
  const isText = (each: unknown) => typeof each === "string" && each !== ""
  return isText(id) && isText(path) && textKeys.every((key) => rest[key] === undefined || typeof rest[key] === "string")
}

const textKeys = [
  "class",
  "loadGuidance",
  "title",
  "status",
  "supersedes",
  "supersededBy",
  "createdAt",
  "updatedAt",
  "deletedAt",
  "anchor",
]

/** Fixes backslashes from Windows, and guidance missing in older versions. */
function normalize(record: IndexRecord): IndexRecord {
  const path = typeof record.path === "string" ? record.path : ""
  return {
    ...record,
    path: /^\.(?:squad|ai-team)\\/.test(path) ? path.replaceAll("\\", "/") : path,
    title: typeof record.title === "string" ? record.title : "Untitled memory",
    loadGuidance: readLoadGuidance(record.loadGuidance) ?? defaultLoadGuidance(record.class),
  }
}
