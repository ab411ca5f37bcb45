import { type Dirent, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { FileKind } from "../formats/legacy/fallbacks.ts"
import { makeRoster, type Roster, rosterNamesOf } from "../formats/legacy/roster.ts"
import type { Store, StoreFolder } from "./find-store.ts"

/** Where an entry lives, as people ask for it. An archived history is an archive. */
export type EntrySource = "decisions" | "inbox" | "archive" | "history"

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
  const files = [...decisionFiles(folder), ...historyFiles(folder)]
  const order: EntrySource[] = ["decisions", "inbox", "archive", "history"]
  return files.sort(
    (one, other) => order.indexOf(one.source) - order.indexOf(other.source) || compare(one.path, other.path),
  )
}

/** The names of the team, from the folders of its agents and the table of its members. */
export function readRoster(store: Store): Roster {
  const names: string[] = []
  for (const { path } of store.folders) {
    for (const { agent } of agentFolders(path)) names.push(agent)
    const team = join(path, "team.md")
    if (existsSync(team)) names.push(...rosterNamesOf(readFileSync(team, "utf8")))
  }
  return makeRoster(names)
}

function decisionFiles(folder: StoreFolder): EntryFile[] {
  const main = readFolder(folder.path)
    .filter((item) => item.isFile() && /^decisions.*\.md$/i.test(item.name))
    .map((item) => item.name)
  const below = markdownBelow(join(folder.path, "decisions")).map((name) => `decisions/${name}`)
  return [...main, ...below].map((name) => {
    const kind = kindOfDecisionFile(name)
    return {
      path: `${folder.name}/${name}`,
      absolute: join(folder.path, name),
      folder,
      source: kind,
      kind,
      agent: undefined,
    }
  })
}

function kindOfDecisionFile(name: string): "decisions" | "inbox" | "archive" {
  if (name.startsWith("decisions/inbox/")) return "inbox"
  return /archive/i.test(name) ? "archive" : "decisions"
}

function historyFiles(folder: StoreFolder): EntryFile[] {
  return agentFolders(folder.path).flatMap(({ agent, below }) =>
    readFolder(join(folder.path, below))
      .filter((item) => item.isFile() && /^history.*\.md$/i.test(item.name))
      .map((item) => {
        const name = `${below}/${item.name}`
        const source: EntrySource = item.name === "history.md" ? "history" : "archive"
        return {
          path: `${folder.name}/${name}`,
          absolute: join(folder.path, name),
          folder,
          source,
          kind: "history" as const,
          agent,
        }
      }),
  )
}

function agentFolders(store: string): { agent: string; below: string }[] {
  const present = readFolder(join(store, "agents")).filter((item) => item.isDirectory() && !item.name.startsWith("_"))
  const alumni = readFolder(join(store, "agents", "_alumni")).filter((item) => item.isDirectory())
  return [
    ...present.map(({ name }) => ({ agent: name, below: `agents/${name}` })),
    ...alumni.map(({ name }) => ({ agent: name, below: `agents/_alumni/${name}` })),
  ]
}

/** Markdown below a folder, as relative paths; folders that begin with a dot (quarantine) are passed over. */
function markdownBelow(folder: string, prefix = ""): string[] {
  return readFolder(folder).flatMap((item) => {
    if (item.name.startsWith(".")) return []
    if (item.isDirectory()) return markdownBelow(join(folder, item.name), `${prefix}${item.name}/`)
    return item.isFile() && /\.md$/i.test(item.name) ? [`${prefix}${item.name}`] : []
  })
}

function readFolder(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
