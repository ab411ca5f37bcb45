import { closeSync, constants, type Dirent, openSync, readdirSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseJson } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import type { Machine } from "../client.ts"
import { objectOf, textOf } from "../json-value.ts"

/**
 * The files below a folder, at most `depth` levels deep, with an accepted name; oldest first. Unreadable folders are
 * skipped.
 */
export function findFiles(folder: string, depth: number, accepts: (name: string) => boolean): string[] {
  return oldestFirst(listFiles(folder, depth, accepts))
}

export function oldestFirst(paths: string[]): string[] {
  return paths
    .map((path) => ({ path, changed: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => one.changed - other.changed || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path)
}

function listFiles(folder: string, depth: number, accepts: (name: string) => boolean): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return depth > 1 ? listFiles(path, depth - 1, accepts) : []
    return entry.isFile() && accepts(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // missing or not accessible: not every client is installed
  }
}

/** The names in a folder, sorted; empty if the folder is missing or not readable. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort()
  } catch {
    return [] // another program's folder: it may be missing, not accessible, or removed meanwhile
  }
}

/** The `User` folder of each editor of the VS Code family. */
export function editorFolders(machine: Machine, editors: string[]): string[] {
  const root = applicationData(machine)
  return editors.map((editor) => join(root, editor, "User"))
}

function applicationData({ home, environment, platform }: Machine): string {
  if (platform === "darwin") return join(home, "Library", "Application Support")
  if (platform === "win32") return environment.APPDATA || join(home, "AppData", "Roaming")
  return environment.XDG_CONFIG_HOME || join(home, ".config")
}

/**
 * The folder of an editor's workspace, from its `workspace.json`; undefined for several folders, or one on another
 * machine.
 */
export function workspaceFolder(workspace: string): string | undefined {
  const address = textOf(objectOf(readJsonFile(join(workspace, "workspace.json")))?.folder)
  if (address === undefined || !address.startsWith("file:///")) return undefined
  try {
    return fileURLToPath(address)
  } catch {
    return undefined // not a valid path on this machine
  }
}

/** The JSON of another program's file; undefined if it is missing or cannot be read. */
export function readJsonFile(path: string): unknown {
  try {
    return parseJson(readTextFile(path).text, path)
  } catch (error) {
    if (error instanceof DreyError) return undefined
    throw error
  }
}

const beginningBytes = 64 * 1024

/** The first 64 KB of a file as text; undefined if it cannot be read. */
export function readBeginning(path: string): string | undefined {
  let handle: number | undefined
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // opening a pipe must not wait for its writer
    const bytes = Buffer.alloc(beginningBytes)
    return bytes.toString("utf8", 0, readSync(handle, bytes, 0, beginningBytes, 0))
  } catch {
    return undefined // missing, a folder, or not accessible: not a transcript
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
