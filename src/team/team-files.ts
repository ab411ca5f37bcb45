import { type Dirent, existsSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { isDreyName, isGitName, requireInRepository } from "../disk/safe-paths.ts"
import { listFolder, namesIn, readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import { type EntryPlace, entryPlaceOf, entrySources } from "../formats/entry-source.ts"
import { makeRoster, type Roster, rosterNamesOf } from "../formats/legacy/roster.ts"
import type { StoreFolder, TeamStore } from "./team-folder.ts"

/** A Markdown file that may contain entries; `path` is relative to the repository, with forward slashes. */
export type EntryFile = EntryPlace & { path: string; absolute: string; folder: StoreFolder }

/** All files of a team folder that may contain entries, in order of precedence: decisions, inbox, archives, histories, skills. */
export function listEntryFiles(folder: StoreFolder): EntryFile[] {
  const names = [
    ...(namesOf(folder.path) ?? ["decisions.md"]).filter((name) => /^decisions.*\.md$/i.test(name)),
    ...markdownBelow(folder, "decisions/"),
    ...agentFolders(folder).flatMap(({ below }) => historiesIn(folder, below)),
    ...markdownBelow(folder, "skills/"),
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
  const place = entryPlaceOf(name)
  return place && { path: `${folder.name}/${name}`, absolute: join(folder.path, name), folder, ...place }
}

/** The names of the team, from the agents' folders and the members table. */
export function readRoster(store: TeamStore): Roster {
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

/** A file of a team folder; `path` is relative to the folder, `shown` to the repository, both with forward slashes. */
export type TeamFile = { path: string; shown: string; absolute: string; folder: StoreFolder }

/** Folders below a team folder that are not team memory: conversion backups and sessions. */
export const excludedFolders = ["backups", "sessions"] as const

/**
 * Every file below a team folder, sorted. Excludes Drey's locks, `.git`, conversion backups (which must not change) and sessions (which
 * have their own locks). Links are not followed. A folder that cannot be opened is listed as `<folder>/*.md`, so that reading it
 * reports why.
 */
export function listTeamFiles(folder: StoreFolder): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => !excludedFolders.some((name) => path.startsWith(`${name}/`)))
}

/** The files of conversion backups, or of sessions. */
export function listExcludedFiles(folder: StoreFolder, name: (typeof excludedFolders)[number]): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => path.startsWith(`${name}/`))
}

function filesBelow(folder: StoreFolder, below: string): TeamFile[] {
  const fileAt = (path: string) => ({
    path,
    shown: `${folder.name}/${path}`,
    absolute: join(folder.path, path),
    folder,
  })
  const items = listFolder(join(folder.path, below))
  if (items === undefined) return [fileAt(`${below}*.md`)]
  return items
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((item) => {
      const path = `${below}${item.name}`
      if (isDreyName(item.name) || isGitName(item.name)) return []
      if (item.isDirectory()) return filesBelow(folder, `${path}/`)
      return item.isFile() ? [fileAt(path)] : []
    })
}

/** The skill folders, in order of precedence. */
export const skillFolders = [".squad/skills", ".copilot/skills", ".github/skills", ".ai-team/skills"] as const

export type SkillFile = { name: string; path: string; text: string }

/** Every skill's file, also of those that another of the same name hides, in order of precedence. */
export function listSkillFiles(root: string): Omit<SkillFile, "text">[] {
  return skillFolders.flatMap((folder) =>
    namesIn(join(root, folder))
      .map((name) => ({ name, path: `${folder}/${name}/SKILL.md` }))
      .filter(({ path }) => existsSync(join(root, path))),
  )
}

/** The skills of a repository; a skill with the same name in an earlier folder takes precedence. */
export function listSkills(root: string, leftOut?: (message: string) => void): SkillFile[] {
  const found = new Map<string, SkillFile>()
  for (const { name, path } of listSkillFiles(root)) {
    if (found.has(name)) continue
    const file = join(root, path)
    const text = leftOut ? readIfText(file, path, leftOut) : readTextFile(file).text
    if (text !== undefined) found.set(name, { name, path, text })
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** The text of a file; `leftOut` receives the reason if it cannot be read. */
export function readIfText(path: string, name: string, leftOut: (message: string) => void): string | undefined {
  try {
    return readTextFile(path, { name }).text
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    leftOut(error.message)
    return undefined
  }
}
