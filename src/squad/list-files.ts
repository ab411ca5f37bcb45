import { type Dirent, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { codeOf, fileError } from "../disk/file-error.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import type { FileKind } from "../formats/legacy/fallbacks.ts"
import { makeRoster, type Roster, rosterNamesOf } from "../formats/legacy/roster.ts"
import type { Store, StoreFolder } from "./find-store.ts"

/** Where an entry lives, as people ask for it. An archived history is an archive. */
export type EntrySource = "decisions" | "inbox" | "archive" | "history"
export const entrySources: readonly EntrySource[] = ["decisions", "inbox", "archive", "history"]

/** A Markdown file that may hold entries; `path` is relative to the repository, with forward slashes. */
export type EntryFile = {
  path: string
  absolute: string
  folder: StoreFolder
  source: EntrySource
  kind: FileKind
  agent: string | undefined
}

/** All files with entries of a team folder, in the order in which an entry counts first: decisions, inbox, archives, histories. */
export function listEntryFiles(folder: StoreFolder): EntryFile[] {
  const names = [
    ...namesIn(folder.path).filter((name) => /^decisions.*\.md$/i.test(name)),
    ...markdownBelow(join(folder.path, "decisions"), "decisions/"),
    ...agentFolders(folder.path).flatMap(({ below }) =>
      namesIn(join(folder.path, below)).map((name) => `${below}/${name}`),
    ),
  ]
  return names
    .flatMap((name) => entryFileAt(folder, name) ?? [])
    .sort(
      (one, other) =>
        entrySources.indexOf(one.source) - entrySources.indexOf(other.source) || compare(one.path, other.path),
    )
}

/** What a file is, told by its path below the team folder alone; undefined when it holds no entries. */
export function entryFileAt(folder: StoreFolder, name: string): EntryFile | undefined {
  const file = (source: EntrySource, kind: FileKind, agent?: string): EntryFile => ({
    path: `${folder.name}/${name}`,
    absolute: join(folder.path, name),
    folder,
    source,
    kind,
    agent,
  })
  const history = /^agents\/(?:_alumni\/)?([^/]+)\/(history.*\.md)$/i.exec(name)
  if (history) return file(history[2]?.toLowerCase() === "history.md" ? "history" : "archive", "history", history[1])
  if (!/^decisions(?:\/.*|[^/]*)\.md$/i.test(name) || /\/\./.test(name)) return undefined
  if (name.startsWith("decisions/inbox/")) return file("inbox", "inbox")
  return /archive/i.test(name) ? file("archive", "archive") : file("decisions", "decisions")
}

/** The names of the team, from the folders of its agents and the table of its members. */
export function readRoster(store: Store): Roster {
  const names: string[] = []
  for (const { path } of store.folders) {
    for (const { agent } of agentFolders(path)) names.push(agent)
    const team = join(path, "team.md")
    if (existsSync(team)) names.push(...rosterNamesOf(readTextFile(team).text))
  }
  return makeRoster(names)
}

function agentFolders(store: string): { agent: string; below: string }[] {
  const present = readFolder(join(store, "agents")).filter((item) => item.isDirectory() && !item.name.startsWith("_"))
  const alumni = readFolder(join(store, "agents", "_alumni")).filter((item) => item.isDirectory())
  return [
    ...present.map(({ name }) => ({ agent: name, below: `agents/${name}` })),
    ...alumni.map(({ name }) => ({ agent: name, below: `agents/_alumni/${name}` })),
  ]
}

/** Markdown below a folder; what begins with a dot (quarantine, temporary files) is passed over. */
function markdownBelow(folder: string, prefix: string): string[] {
  return readFolder(folder).flatMap((item) => {
    if (item.name.startsWith(".")) return []
    if (/\.md$/i.test(item.name)) return [`${prefix}${item.name}`]
    return item.isDirectory() ? markdownBelow(join(folder, item.name), `${prefix}${item.name}/`) : []
  })
}

/** All names, whatever they name: a link is read through, and a folder called decisions.md is reported when it is read. */
function namesIn(folder: string): string[] {
  return readFolder(folder).map(({ name }) => name)
}

function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw fileError(folder, error)
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
