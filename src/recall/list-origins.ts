import { type BigIntStats, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { codeOf, fileError } from "../disk/file-error.ts"
import { DreyError } from "../errors.ts"
import type { Store, StoreFolder } from "../squad/find-store.ts"
import { requireInRepository } from "../squad/follow-links.ts"
import { type EntryFile, listEntryFiles } from "../squad/list-files.ts"
import { skillFolders } from "../squad/list-skills.ts"

/** A file that items come from, with what tells whether it is still the one that was read. */
export type OriginFile = { key: string; absolute: string; look: FileLook } & (
  | { kind: "entries"; file: EntryFile }
  | { kind: "governed"; folder: StoreFolder }
  | { kind: "skill"; name: string }
)

/** What the file system says of a file; `changedMs` is the later of its two times. */
export type FileLook = { text: string; changedMs: number }

export type Origins = {
  files: OriginFile[]
  /** How the governed index looks, which may say of an entry in any file what its class is, or that it was replaced. */
  records: FileLook | undefined
  /** Changes with the names of the team, which tell an author from other words. */
  roster: string
}

/** Every file of a store that holds something to recall, in the order in which an item counts first. Reads no content. */
export function listOrigins(store: Store): Origins {
  const files = [
    ...store.folders.flatMap(entryOrigins),
    ...store.folders.flatMap(governedOrigins),
    ...skillOrigins(store),
  ]
  const [folder] = store.folders
  return {
    files,
    records: folder && lookAt(join(folder.path, "memory", "index.json")),
    roster: store.folders.map(rosterLook).join("|"),
  }
}

function entryOrigins(folder: StoreFolder): OriginFile[] {
  return listEntryFiles(folder).flatMap((file) => {
    const look = lookAt(file.absolute)
    return look ? [{ kind: "entries", key: file.path, absolute: file.absolute, look, file }] : []
  })
}

const governedFolders = ["memory/local", "memory/policy-inbox"]

function governedOrigins(folder: StoreFolder): OriginFile[] {
  return governedFolders.flatMap((below) =>
    namesIn(join(folder.path, below))
      .filter((name) => name.endsWith(".md") && !name.startsWith("."))
      .flatMap((name) => originAt(folder, `${below}/${name}`)),
  )
}

function originAt(folder: StoreFolder, below: string): OriginFile[] {
  const absolute = join(folder.path, below)
  const look = lookAt(absolute)
  return look && isInRepository(folder, below)
    ? [{ kind: "governed", key: `${folder.name}/${below}`, absolute, look, folder }]
    : []
}

/** A skill that an earlier folder has under the same name is passed over. */
function skillOrigins({ root }: Store): OriginFile[] {
  const found = new Map<string, OriginFile>()
  for (const folder of skillFolders) {
    for (const name of namesIn(join(root, folder)).sort()) {
      if (found.has(name)) continue
      const absolute = join(root, folder, name, "SKILL.md")
      const look = lookAt(absolute)
      if (look) found.set(name, { kind: "skill", key: `${folder}/${name}/SKILL.md`, absolute, look, name })
    }
  }
  return [...found.values()]
}

function rosterLook({ path }: StoreFolder): string {
  const agents = [...namesIn(join(path, "agents")), ...namesIn(join(path, "agents", "_alumni"))]
  return `${agents.join("/")}:${lookAt(join(path, "team.md"))?.text ?? ""}`
}

function isInRepository(folder: StoreFolder, below: string): boolean {
  try {
    requireInRepository(folder, below)
    return true
  } catch (error) {
    if (error instanceof DreyError) return false // `doctor` tells of links that lead out
    throw error
  }
}

/** Size, both times and the inode: an edit changes one of them, unless it falls into the same tick of the clock. */
export function lookAt(path: string): FileLook | undefined {
  const status: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!status?.isFile()) return undefined
  const { size, mtimeNs, ctimeNs, ino } = status
  const changedMs = Math.max(Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n))
  return { text: `${size} ${mtimeNs} ${ctimeNs} ${ino}`, changedMs }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return []
    throw fileError(folder, error)
  }
}
