import { type Dirent, existsSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { listFolder } from "../disk/list-folder.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { requireInRepository } from "../disk/safe-paths.ts"
import { DreyError } from "../errors.ts"
import type { FileKind } from "../formats/legacy/fallbacks.ts"
import { makeRoster, type Roster, rosterNamesOf } from "../formats/legacy/roster.ts"
import type { Store, StoreFolder } from "./find-store.ts"

/** The kind of file that an entry is in. An archived history is an archive. */
export type EntrySource = "decisions" | "inbox" | "archive" | "history"
export const entrySources: readonly EntrySource[] = ["decisions", "inbox", "archive", "history"]

/** A Markdown file that may contain entries; `path` is relative to the repository, with forward slashes. */
export type EntryFile = {
  path: string
  absolute: string
  folder: StoreFolder
  source: EntrySource
  kind: FileKind
  agent: string | undefined
}

/** All files of a team folder that may contain entries, in order of precedence: decisions, inbox, archives, histories. */
export function listEntryFiles(folder: StoreFolder): EntryFile[] {
  const names = [
    ...(namesOf(folder.path) ?? ["decisions.md"]).filter((name) => /^decisions.*\.md$/i.test(name)),
    ...markdownBelow(folder, "decisions/"),
    ...agentFolders(folder).flatMap(({ below }) => historiesIn(folder, below)),
  ]
  return names
    .flatMap((name) => entryFileAt(folder, name) ?? [])
    .sort(
      (one, other) =>
        entrySources.indexOf(one.source) - entrySources.indexOf(other.source) || compare(one.path, other.path),
    )
}

/** Describes a file by its path below the team folder; undefined if it cannot contain entries. */
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

/** The names of the team, from the agents' folders and the members table. */
export function readRoster(store: Store): Roster {
  const names: string[] = []
  for (const folder of store.folders) {
    for (const { agent } of agentFolders(folder)) names.push(agent)
    const team = join(folder.path, "team.md")
    requireInRepository(folder, "team.md", `${folder.name}/team.md`)
    if (existsSync(team)) names.push(...rosterNamesOf(readIfPossible(team)))
  }
  return makeRoster(names)
}

/** An unreadable team file counts as empty; `doctor` reports it. */
function readIfPossible(path: string): string {
  try {
    return readTextFile(path).text
  } catch (error) {
    if (error instanceof DreyError) return ""
    throw error
  }
}

function agentFolders({ path }: StoreFolder): { agent: string; below: string }[] {
  const agents = listFolder(join(path, "agents"))
  if (agents === undefined) return [{ agent: "*", below: "agents/*" }]
  const present = agents.filter((item) => mayBeFolder(item) && !item.name.startsWith("_"))
  const alumni = (listFolder(join(path, "agents", "_alumni")) ?? []).filter(mayBeFolder)
  return [
    ...present.map(({ name }) => ({ agent: name, below: `agents/${name}` })),
    ...alumni.map(({ name }) => ({ agent: name, below: `agents/_alumni/${name}` })),
  ]
}

/** A folder or a link to one; broken links count too, so that they are reported. */
function mayBeFolder(item: Dirent): boolean {
  if (item.isDirectory()) return true
  if (!item.isSymbolicLink()) return false
  const path = join(item.parentPath, item.name)
  return listFolder(path) === undefined || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true)
}

/** Lists the history even of a folder that must not be followed or cannot be opened: reading it reports why. */
function historiesIn(folder: StoreFolder, below: string): string[] {
  const names = isFollowed(folder, below) ? namesOf(join(folder.path, below)) : undefined
  return (names ?? ["history.md"]).map((name) => `${below}/${name}`)
}

/** Markdown files below a folder; dotfiles (quarantine, temporary files) are skipped. */
function markdownBelow(folder: StoreFolder, below: string, above: readonly string[] = []): string[] {
  if (!isFollowed(folder, below)) return [`${below}*.md`]
  const absolute = join(folder.path, below)
  if (!existsSync(absolute)) return []
  const real = realpathSync(absolute)
  if (above.includes(real)) return [] // a link back to a folder that is being read
  const items = listFolder(absolute)
  if (items === undefined) return [`${below}*.md`]
  return items.flatMap((item) => {
    if (item.name.startsWith(".")) return []
    if (/\.md$/i.test(item.name)) return [`${below}${item.name}`]
    return mayBeFolder(item) ? markdownBelow(folder, `${below}${item.name}/`, [...above, real]) : []
  })
}

function isFollowed(folder: StoreFolder, below: string): boolean {
  try {
    requireInRepository(folder, below)
    return true
  } catch (error) {
    if (error instanceof DreyError) return false // reported when the files are read
    throw error
  }
}

/** All names, of any type: links are followed, and a folder called decisions.md is reported when it is read. */
function namesOf(folder: string): string[] | undefined {
  return listFolder(folder)?.map(({ name }) => name)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
