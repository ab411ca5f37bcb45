import type { Dirent } from "node:fs"
import { join } from "node:path"
import { listFolder, namesIn } from "../disk/list-folder.ts"
import { requireInRepository, safePath } from "../disk/safe-paths.ts"
import { sha256 } from "../disk/sha256.ts"
import { DreyError } from "../errors.ts"
import type { Store, StoreFolder } from "../squad/find-store.ts"
import { type EntryFile, listEntryFiles } from "../squad/list-files.ts"
import { skillFolders } from "../squad/list-skills.ts"
import { type FileLook, lookAt, lookAtName, lookAtPlainFile } from "./file-look.ts"
import { listSessionFiles } from "./list-session-files.ts"

/** A file that items come from, with what is needed to detect a change. */
export type OriginFile = { key: string; absolute: string; look: FileLook } & (
  | { kind: "entries"; file: EntryFile }
  | { kind: "governed"; folder: StoreFolder }
  | { kind: "skill"; name: string }
  | { kind: "session"; session: string; archived: boolean }
)

export type Origins = {
  files: OriginFile[]
  /** The stat of the governed index, which can change the class of an entry in any file, or mark it as replaced. */
  records: FileLook | undefined
  /** Changes with the team's names, which are needed to recognise authors. */
  roster: string
}

/**
 * Every file of a store with items, in order of precedence. Reads no content. `sessions` is the folder of the sessions;
 * without it their files are not listed.
 */
export function listOrigins(store: Store, sessions?: string): Origins {
  const isInside = insideTest()
  const files = [
    ...store.folders.flatMap(entryOrigins),
    ...store.folders.flatMap((folder) => governedOrigins(folder, isInside)),
    ...skillOrigins(store, isInside),
    ...(sessions === undefined ? [] : listSessionFiles(store.root, sessions)),
  ]
  const [folder] = store.folders
  return {
    files,
    records: folder && lookAt(join(folder.path, "memory", "index.json")),
    roster: sha256(store.folders.map(rosterLook).join("|")).slice(0, 16),
  }
}

/** Also lists a folder or a dangling link in place of an entry file: reading it reports the problem. */
function entryOrigins(folder: StoreFolder): OriginFile[] {
  return listEntryFiles(folder).flatMap((file) => {
    const look = lookAt(file.absolute) ?? lookAtName(file.absolute)
    return look ? [{ kind: "entries", key: file.path, absolute: file.absolute, look, file }] : []
  })
}

const governedFolders = ["memory/local", "memory/policy-inbox"]

function governedOrigins(folder: StoreFolder, isInside: InsideTest): OriginFile[] {
  return governedFolders.flatMap((below) =>
    (listFolder(join(folder.path, below)) ?? [])
      .filter(({ name }) => name.endsWith(".md") && !name.startsWith("."))
      .flatMap((item) => governedOrigin(folder, below, item, isInside)),
  )
}

function governedOrigin(folder: StoreFolder, below: string, item: Dirent, isInside: InsideTest): OriginFile[] {
  const path = `${below}/${item.name}`
  const absolute = join(folder.path, path)
  const look = lookAt(absolute)
  return look && isInside(folder, below, path, item.isSymbolicLink())
    ? [{ kind: "governed", key: `${folder.name}/${path}`, absolute, look, folder }]
    : []
}

/** A skill is skipped if an earlier folder has one with the same name. */
function skillOrigins({ root, folders: [team] }: Store, isInside: InsideTest): OriginFile[] {
  const found = new Map<string, OriginFile>()
  for (const folder of skillFolders) {
    const items = (listFolder(join(root, folder)) ?? []).sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const item of items) {
      if (!team || found.has(item.name)) continue
      const absolute = join(root, folder, item.name, "SKILL.md")
      // Also lists a skill in an unreadable folder: reading it reports the problem.
      const isClosed = item.isDirectory() && listFolder(join(root, folder, item.name)) === undefined
      const look = isClosed ? lookAtName(absolute) : lookAt(absolute)
      if (!look) continue
      const hasLink = item.isSymbolicLink() || (!isClosed && lookAtPlainFile(absolute) === undefined)
      const key = `${folder}/${item.name}/SKILL.md`
      if (isInside({ path: root, within: team.path }, folder, key, hasLink))
        found.set(item.name, { kind: "skill", key, absolute, look, name: item.name })
    }
  }
  return [...found.values()]
}

function rosterLook({ path }: StoreFolder): string {
  const agents = [...namesIn(join(path, "agents")), ...namesIn(join(path, "agents", "_alumni"))]
  return `${agents.join("/")}:${lookAt(join(path, "team.md"))?.text ?? ""}`
}

/** A team folder or the repository; only the team folder itself may be a link to another place. */
type Place = { path: string; within?: string }

type InsideTest = (folder: Place, above: string, path: string, hasLink: boolean) => boolean

/**
 * Whether a path stays inside. A path that is not a link is inside if its parent is; parents are checked once per
 * listing.
 */
function insideTest(): InsideTest {
  const known = new Map<string, boolean>()
  return (folder, above, path, hasLink) => {
    if (hasLink) return isInRepository(folder, path)
    const key = `${folder.path}\0${above}`
    const isInside = known.get(key) ?? isInRepository(folder, above)
    known.set(key, isInside)
    return isInside
  }
}

function isInRepository(folder: Place, below: string): boolean {
  try {
    if (folder.within === undefined) requireInRepository(folder, below)
    else safePath(folder.path, below, { within: folder.within })
    return true
  } catch (error) {
    if (error instanceof DreyError) return false // `doctor` reports links that lead out
    throw error
  }
}
