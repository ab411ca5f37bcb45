import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { sha256 } from "../../disk/hash.ts"
import { requireInRepository, safePath } from "../../disk/safe-paths.ts"
import { codeOf, fileError, listFolder, namesIn } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { isSessionId } from "../../formats/session/session-id.ts"
import { indexedSources } from "../../team/import/indexed-sources.ts"
import { type EntryFile, entryFileAt, listEntryFiles, skillFolders } from "../../team/team-files.ts"
import type { StoreFolder, TeamStore } from "../../team/team-folder.ts"

/** A file that items come from, with what is needed to detect a change. */
export type OriginFile = { key: string; absolute: string; look: FileStat } & (
  | { kind: "entries"; file: EntryFile }
  | { kind: "governed"; folder: StoreFolder }
  | { kind: "skill"; name: string; file: EntryFile | undefined }
  | { kind: "session"; session: string; archived: boolean }
  | { kind: "document" }
)

export type Origins = {
  files: OriginFile[]
  /** The stat of the governed index, which can change the class of an entry in any file, or mark it as replaced. */
  records: FileStat | undefined
  /** Changes with the team's names, which are needed to recognise authors. */
  roster: string
}

/**
 * Every file of a store with items, in order of precedence. Reads no content. `sessions` is the folder of the sessions;
 * without it their files are not listed.
 */
export function listOrigins(store: TeamStore, sessions?: string): Origins {
  const isInside = insideTest()
  const skills = skillOrigins(store, isInside)
  const isSkill = new Set(skills.map(({ key }) => key))
  const files = [
    ...store.folders.flatMap(entryOrigins).filter(({ key }) => !isSkill.has(key)),
    ...store.folders.flatMap((folder) => governedOrigins(folder, isInside)),
    ...skills,
    ...(sessions === undefined ? [] : listSessionFiles(store.root, sessions)),
    ...documentOrigins(store, isInside),
  ]
  const [folder] = store.folders
  return {
    files,
    records: folder && statFile(join(folder.path, "memory", "index.json")),
    roster: sha256(store.folders.map(rosterLook).join("|")).slice(0, 16),
  }
}

/** Also lists a folder or a dangling link in place of an entry file: reading it reports the problem. */
function entryOrigins(folder: StoreFolder): OriginFile[] {
  return listEntryFiles(folder).flatMap((file) => {
    const look = statFile(file.absolute) ?? statName(file.absolute)
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
  const look = statFile(absolute)
  return look && isInside(folder, below, path, item.isSymbolicLink())
    ? [{ kind: "governed", key: `${folder.name}/${path}`, absolute, look, folder }]
    : []
}

/** A skill is skipped if an earlier folder has one with the same name. */
function skillOrigins({ root, folders }: TeamStore, isInside: InsideTest): OriginFile[] {
  const [team] = folders
  const found = new Map<string, OriginFile>()
  for (const folder of skillFolders) {
    const items = (listFolder(join(root, folder)) ?? []).sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const item of items) {
      if (!team || found.has(item.name)) continue
      const absolute = join(root, folder, item.name, "SKILL.md")
      // Also lists a skill in an unreadable folder: reading it reports the problem.
      const isClosed = item.isDirectory() && listFolder(join(root, folder, item.name)) === undefined
      const look = isClosed ? statName(absolute) : statFile(absolute)
      if (!look) continue
      const hasLink = item.isSymbolicLink() || (!isClosed && statPlainFile(absolute) === undefined)
      const key = `${folder}/${item.name}/SKILL.md`
      if (isInside({ path: root, within: team.path }, folder, key, hasLink))
        found.set(item.name, { kind: "skill", key, absolute, look, name: item.name, file: entryFileIn(folders, key) })
    }
  }
  return [...found.values()]
}

/** Files of the repository that the project's settings name. */
function documentOrigins(store: TeamStore, isInside: InsideTest): OriginFile[] {
  const [team] = store.folders
  return indexedSources(store).flatMap((key): OriginFile[] => {
    const absolute = join(store.root, key)
    const look = statFile(absolute)
    const isOwn = team && look && isInside({ path: store.root, within: store.root }, dirname(key), key, true)
    return isOwn ? [{ kind: "document", key, absolute, look }] : []
  })
}

/** The skill as a file that may hold entries too, where it is in the team folder. */
function entryFileIn(folders: readonly StoreFolder[], key: string): EntryFile | undefined {
  const folder = folders.find(({ name }) => key.startsWith(`${name}/`))
  return folder && entryFileAt(folder, key.slice(folder.name.length + 1))
}

function rosterLook({ path }: StoreFolder): string {
  const agents = [...namesIn(join(path, "agents")), ...namesIn(join(path, "agents", "_alumni"))]
  return `${agents.join("/")}:${statFile(join(path, "team.md"))?.text ?? ""}`
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

type ListedFile = Pick<OriginFile, "absolute" | "look"> & { name: string }

const notesName = /^agent-memory(?:-archive)?(?:\.[a-z0-9-]+)?\.yaml$/

/** The note files of every session, or of the newest ones, archives included. Links are not followed. */
export function listSessionFiles(root: string, sessions: string, newest = Number.POSITIVE_INFINITY): OriginFile[] {
  const shown = relative(root, sessions).split(sep).join("/")
  const originsIn = (session: string, files: readonly ListedFile[]) =>
    files.map(({ name, absolute, look }): OriginFile => {
      const archived = name.startsWith("agent-memory-archive")
      return { kind: "session", key: `${shown}/${session}/${name}`, absolute, look, session, archived }
    })
  const items = listFolder(sessions)
  if (items === undefined) return originsIn("*", closed(sessions))
  const ids = items.flatMap((item) => (item.isDirectory() && isSessionId(item.name) ? item.name : []))
  const listed = ids.length > newest ? ids.sort().slice(-newest) : ids // an id begins with its start time
  return listed.flatMap((id) => originsIn(id, notesIn(`${sessions}/${id}`)))
}

/** The stamps without those of sessions, for queries that do not cover sessions. */
export function withoutSessions(known: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...known].filter(([key]) => !isSessionKey(key)))
}

function isSessionKey(key: string): boolean {
  return notesName.test(key.slice(key.lastIndexOf("/") + 1))
}

/** Matched by name: a stat of each file would take far longer. */
function notesIn(folder: string): ListedFile[] {
  try {
    return readdirSync(folder)
      .filter((name) => notesName.test(name))
      .flatMap((name) => {
        const absolute = `${folder}/${name}` // to join parts takes as long as to look, and there may be a thousand sessions
        const look = statPlainFile(absolute)
        return look ? [{ name, absolute, look }] : []
      })
  } catch (error) {
    return codeOf(error) === "ENOENT" ? [] : closed(folder) // removed in the meantime, or not readable
  }
}

/** Lists an unreadable folder in place of its notes: reading it reports the problem. */
function closed(folder: string): ListedFile[] {
  const look = statName(folder)
  return look ? [{ name: "agent-memory.yaml", absolute: folder, look }] : []
}

/** A file's stat; `changedMs` is the later of its two times. */
type FileStat = { text: string; changedMs: number; bytes: number }

/** Size, both times and the inode: an edit changes one of them, unless it happens within the same clock tick. */
export function statFile(path: string): FileStat | undefined {
  const status = statusOf(path, statSync)
  return status !== "closed" && status?.isFile() ? toLook(status) : undefined
}

/** The same without following links; also for a name in an unreadable folder. */
export function statName(path: string): FileStat | undefined {
  const status = statusOf(path, lstatSync)
  return status === "closed" ? { text: status, changedMs: 0, bytes: 0 } : status && toLook(status)
}

/** The same for regular files only, not links. */
export function statPlainFile(path: string): FileStat | undefined {
  const status = statusOf(path, lstatSync)
  return status !== "closed" && status?.isFile() ? toLook(status) : undefined
}

/** Undefined if the path does not exist; only some versions of Node report a path component that is a file. */
function statusOf(path: string, look: typeof statSync): BigIntStats | "closed" | undefined {
  try {
    return look(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === "ENOTDIR" || codeOf(error) === "ELOOP") return undefined
    if (fileError(path, error) instanceof DreyError) return "closed"
    throw error
  }
}

function toLook({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileStat {
  const changedMs = Math.max(Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n))
  return { text: `${size} ${mtimeNs} ${ctimeNs} ${ino}`, changedMs, bytes: Number(size) }
}

/** What the index stores about a file: its stat when it was read, and any problem. */
export type Stamp = {
  look: string
  hash: string
  /** Other inputs that decide how the file is read: the team's names, governed metadata of its entries. */
  around: string
  /** Whether any later edit changes the stat; an edit within the same clock tick would not. */
  settled: boolean
  /** Lines where a merge conflict hides entries. */
  conflicts?: number[]
  /** Why the file could not be read. */
  problem?: string
}

/** The governed index is an origin without items; `said` maps each file it affects to a hash of what it says. */
export const recordsKey = "records"
export type RecordsStamp = { look: string; settled: boolean; said: Record<string, string> }

/** Learned memories are one origin; its stamp is the project and the version of its visible memories. */
export const learnedKey = "learned"

/** The coarsest time resolution of a file system. */
const coarsestTickMs = 2000

/** Also true for a time well ahead of the clock; otherwise the file would be read every time until its next edit. */
export function isSettled(look: FileStat, readAt: number): boolean {
  return Math.abs(readAt - look.changedMs) > coarsestTickMs
}

export function aroundOf(file: OriginFile, origins: Origins, said: RecordsStamp["said"]): string {
  if (file.kind === "session" || file.kind === "document") return "" // contains everything itself
  return `${origins.roster} ${said[file.key] ?? ""}`
}

/** Stamps are JSON written only by Drey. */
export function readStamp<Kind extends Stamp | RecordsStamp>(text: string | undefined): Kind | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined // damaged: the file is read again and gets a new stamp
  }
}

/**
 * Whether no file has changed since it was indexed, as far as the stats can show. `learned` is the stamp of the learned
 * memories, undefined if there are none.
 */
export function isUpToDate(origins: Origins, known: ReadonlyMap<string, string>, learned: string | undefined): boolean {
  if (known.get(learnedKey) !== learned) return false
  const records = readStamp<RecordsStamp>(known.get(recordsKey))
  if (records?.look !== (origins.records?.text ?? "") || !records.settled) return false
  const isSame = (file: OriginFile) => {
    const stamp = readStamp<Stamp>(known.get(file.key))
    return stamp?.settled && stamp.look === file.look.text && stamp.around === aroundOf(file, origins, records.said)
  }
  const others = learned === undefined ? 1 : 2 // the records and the learned memories are origins without a file
  return origins.files.length === known.size - others && origins.files.every(isSame)
}

/** Problems found while reading a store's files. */
export type ReadProblems = {
  unreadable: { path: string; message: string }[]
  /** Places where a merge conflict hides entries. */
  conflicts: { path: string; line: number }[]
}

/** Read from the stored stamps, so that problems are reported without reading the files again. */
export function readProblemsIn(known: ReadonlyMap<string, string>): ReadProblems {
  const trouble: ReadProblems = { unreadable: [], conflicts: [] }
  for (const [path, text] of known) {
    if (!text.includes('"problem"') && !text.includes('"conflicts"')) continue // true for nearly all stamps: skip parsing
    const { problem, conflicts } = readStamp<Stamp>(text) ?? {}
    if (problem !== undefined) trouble.unreadable.push({ path, message: problem })
    for (const line of conflicts ?? []) trouble.conflicts.push({ path, line })
  }
  return trouble
}
