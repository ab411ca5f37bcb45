import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { dreyHome } from "./config.ts"
import { parseJson } from "./disk/json.ts"
import { codeOf, fileError } from "./disk/text-files.ts"
import { DreyError, exitCode } from "./errors.ts"
import { isRecord } from "./formats/objects.ts"
import { remoteOf } from "./memories/project-id.ts"
import { findStore, repositoryOf, type TeamStore } from "./team/team-folder.ts"

/** The user's decision about one repository, on this machine. Kept in Drey's own folder, where a clone cannot put it. */
export type TrustRecord = {
  /** The real path of the folder that holds the team folder. */
  path: string
  /** The address of its remote, normalized; null if it has none. */
  remote: string | null
  /** The user id that owns the team folder; null where the system has none. */
  owner: number | null
  /** Distinguishes the folder from another one later created at the same path. */
  folder: string
  at: string
  /** The user removed the trust: only the user can restore it. */
  removed?: true
  /** Hashes of the rules that the user was shown or wrote; null until they are read for the first time. */
  rules: string[] | null
  /** A session has started here: rules that come later are shown as changed since the last one. */
  hadSession?: true
}

/**
 * Whether a repository's content is used automatically: hooks, MCP, guards, learning. A `refused` one is not read at all. A repository
 * without a team folder has no content, so it is trusted without a record.
 */
export type RepositoryTrust =
  | { kind: "trusted"; record: TrustRecord | undefined }
  | { kind: "untrusted"; reason: string }
  | { kind: "refused"; reason: string; hint: string }

/** Reads one small file, and the repository's git settings; asked before tool calls. */
export function repositoryTrust(home: string, store: TeamStore): RepositoryTrust {
  const bringsNothing = store.folders.length === 0 && !existsSync(join(store.root, ".rawko"))
  if (bringsNothing) return { kind: "trusted", record: undefined }
  const linked = store.folders.find(linksOutside)
  if (linked)
    return {
      kind: "refused",
      reason: `${linked.path} is a link to a folder outside the repository, so it is not used`,
      hint: "Replace the link with the folder itself, or link to a folder inside this repository.",
    }
  const { record, problem: unreadable } = recordIfReadable(home, store)
  const accepted = record && !record.removed ? record.owner : null
  const foreign = store.folders.find(({ path }) => ownersOf(path).some((owner) => !isOwn(owner) && owner !== accepted))
  if (foreign)
    return {
      kind: "refused",
      reason: `${foreign.path} is owned by another user of this machine, so it is not used`,
      hint: "If you know the owner and want to use it, run drey trust there; otherwise work outside that folder.",
    }
  if (!record) return { kind: "untrusted", reason: unreadable ?? "it was never trusted on this machine" }
  if (record.removed) return { kind: "untrusted", reason: "its trust was removed" }
  const problem = describeMismatch(record, store)
  return problem === undefined ? { kind: "trusted", record } : { kind: "untrusted", reason: problem }
}

/** Throws for a team folder that must never be read. */
export function requireReadableTeamFolder(home: string, store: TeamStore): void {
  const isPlain = store.folders.every(({ path }) => ownersOf(path).every(isOwn) && !lstatSync(path).isSymbolicLink())
  if (isPlain) return // the usual case stays cheap
  const trust = repositoryTrust(home, store)
  if (trust.kind === "refused") throw new DreyError(trust.reason, { hint: trust.hint, exitCode: exitCode.usage })
}

/** Trusts a repository that was connected by an older Drey without trust records. Files inside the repository prove nothing. */
export async function trustIfConnected(home: string, store: TeamStore): Promise<RepositoryTrust> {
  const trust = repositoryTrust(home, store)
  if (trust.kind !== "untrusted" || findRecord(readTrust(home).repositories, store)) return trust
  const { wasConnected } = await import("./clients/connect/file-record.ts")
  if (!wasConnected(home, store.root, repositoryOf(store.root))) return trust
  await recordTrust(home, store, { at: new Date().toISOString(), rules: null })
  return repositoryTrust(home, store)
}

/** Records that the user trusts a repository in its current state. False if it was trusted already. */
export async function recordTrust(
  home: string,
  store: TeamStore,
  { at, rules }: Pick<TrustRecord, "at" | "rules">,
): Promise<boolean> {
  const record = makeRecord(store, { at, rules })
  let isNew = false
  await changeTrust(home, (file) => {
    const old = file.repositories.find(({ path }) => path === record.path)
    const isSame = old && !old.removed && describeMismatch(old, store) === undefined && old.owner === record.owner
    isNew = !isSame
    const kept = isSame ? { ...old, ...record, at: old.at, rules: old.rules ?? rules } : record
    const others = file.repositories.filter(({ path }) => path !== record.path)
    return { repositories: [...others, kept], hinted: file.hinted.filter((path) => path !== record.path) }
  })
  return isNew
}

/** A record of the repository's current state. */
export function makeRecord(store: TeamStore, { at, rules }: Pick<TrustRecord, "at" | "rules">): TrustRecord {
  const { root } = store
  const owners = store.folders.flatMap(({ path }) => ownersOf(path))
  const owner = owners.find((each) => !isOwn(each)) ?? owners[0] ?? null
  return { path: realPath(root), remote: remoteAround(root), owner, folder: folderFingerprint(root), at, rules }
}

/** Removes the trust. False if there was none. */
export async function removeTrust(home: string, store: TeamStore, at: string): Promise<boolean> {
  const path = realPath(store.root)
  let wasTrusted = false
  await changeTrust(home, (file) => {
    const old = findRecord(file.repositories, store)
    wasTrusted = old !== undefined && !old.removed
    const removed: TrustRecord = { path, remote: null, owner: null, folder: "", at, removed: true, rules: null }
    return { ...file, repositories: [...file.repositories.filter((each) => each.path !== path), removed] }
  })
  return wasTrusted
}

/** Maximum hashes per repository; beyond it the oldest are dropped, and their rules are shown again. */
const mostRules = 5000

/** Adds rules to those the user has seen. Does nothing without a trust record. */
export async function addSeenRules(
  home: string,
  store: TeamStore,
  hashes: readonly string[],
  more: Pick<TrustRecord, "hadSession"> = {},
): Promise<void> {
  const known = findRecord(readTrust(home).repositories, store)
  if (!known || known.removed) return
  const isNoted = more.hadSession === undefined || known.hadSession === true
  if (isNoted && known.rules && hashes.every((hash) => known.rules?.includes(hash))) return
  await changeTrust(home, (file) => {
    const repositories = file.repositories.map((record) =>
      record.path === known.path && !record.removed
        ? { ...record, ...more, rules: [...new Set([...(record.rules ?? []), ...hashes])].slice(-mostRules) }
        : record,
    )
    return { ...file, repositories }
  })
}

/** Whether the user should be shown how to trust a repository: true once for each. */
export async function isHintDue(home: string, store: TeamStore): Promise<boolean> {
  const path = realPath(store.root)
  if (readTrust(home).hinted.includes(path)) return false
  let isDue = false
  await changeTrust(home, (file) => {
    isDue = !file.hinted.includes(path)
    return isDue ? { ...file, hinted: [...file.hinted, path].slice(-mostHints) } : file
  })
  return isDue
}

const mostHints = 1000

/** One repository's trust, for the command line. */
export type TrustControl = {
  readonly root: string
  /** Whether there is a team folder or a git repository to trust. */
  readonly isRepository: boolean
  current(): RepositoryTrust
  /** A fingerprint of the team memory's files, without locks and the audit log. */
  look(): string
  record(): Promise<boolean>
  remove(): Promise<boolean>
  /** Every repository that is trusted. */
  list(): TrustRecord[]
}

export function openTrust({
  root,
  environment = process.env,
}: {
  root?: string | undefined
  environment?: NodeJS.ProcessEnv
} = {}): TrustControl {
  const home = dreyHome(environment)
  const store = findStore(root ?? environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT ?? process.cwd(), home)
  const now = () => new Date()
  return {
    root: store.root,
    isRepository: store.folders.length > 0 || repositoryOf(store.root) !== undefined,
    current: () => repositoryTrust(home, store),
    look: () => store.folders.flatMap(({ path }) => filesBelow(path)).join("\n"),
    async record() {
      const { hashesOf, readRules } = await import("./recall/binding-rules.ts")
      const trust = repositoryTrust(home, store)
      if (trust.kind === "refused" && store.folders.some(linksOutside))
        throw new DreyError(trust.reason, { hint: trust.hint, exitCode: exitCode.usage })
      const rules = hashesOf(await readRules(store, now())).slice(-mostRules)
      return recordTrust(home, store, { at: now().toISOString(), rules })
    },
    remove: () => removeTrust(home, store, now().toISOString()),
    list: () => readTrust(home).repositories.filter(({ removed }) => !removed),
  }
}

function filesBelow(folder: string): string[] {
  return listAll(folder)
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !/^\.drey$|^\.drey[/\\]|^memory[/\\]audit\.jsonl$/.test(relative(folder, path)))
    .map((path) => {
      const { size, mtimeNs, ino } = lstatSync(path, { bigint: true })
      return `${path} ${size} ${mtimeNs} ${ino}`
    })
}

function listAll(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch (error) {
    throw fileError(folder, error)
  }
}

/** Unreadable records mean untrusted; features that need no trust keep working. */
function recordIfReadable(home: string, store: TeamStore): { record?: TrustRecord | undefined; problem?: string } {
  try {
    return { record: findRecord(readTrust(home).repositories, store) }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { problem: error.message }
  }
}

/** The record of the repository's own path, otherwise of the checkout that it is a worktree of. */
function findRecord(records: readonly TrustRecord[], { root }: Pick<TeamStore, "root">): TrustRecord | undefined {
  const path = realPath(root)
  const own = records.find((record) => record.path === path)
  if (own) return own
  const main = mainCheckoutOf(path)
  return main === undefined ? undefined : records.find((record) => record.path === main)
}

/** Why the repository at this path is not the one that was trusted; undefined if it is. */
function describeMismatch(record: TrustRecord, { root }: Pick<TeamStore, "root">): string | undefined {
  const remote = remoteAround(root)
  const isSameFolder = record.path !== realPath(root) || record.folder === folderFingerprint(root)
  if (remote === record.remote)
    return remote !== null || isSameFolder ? undefined : "another folder was trusted at this path"
  if (record.remote === null && isSameFolder) return undefined // it got a remote since
  return "another repository, with another remote, was trusted at this path"
}

/**
 * The corresponding folder in the main checkout of a worktree. Only the main checkout's git folder can register a worktree, so a folder
 * that merely claims to be one is rejected.
 */
function mainCheckoutOf(path: string): string | undefined {
  const top = repositoryOf(path)
  const named = top === undefined ? undefined : /^gitdir: (.*)/.exec(readIfAny(join(top, ".git")) ?? "")?.[1]?.trim()
  if (top === undefined || named === undefined) return undefined
  const own = resolve(top, named)
  const back = readIfAny(join(own, "gitdir"))?.trim()
  const shared = readIfAny(join(own, "commondir"))?.trim()
  if (back === undefined || shared === undefined || dirname(dirname(own)) !== resolve(own, shared)) return undefined
  if (realPathIfAny(resolve(own, back)) !== realPathIfAny(join(top, ".git"))) return undefined
  const main = realPathIfAny(dirname(resolve(own, shared)))
  return main === undefined ? undefined : join(main, relative(realPath(top), path))
}

/** Whether the link's target is outside the repository, or inside its .git folder. */
function linksOutside({ path }: { path: string }): boolean {
  if (!lstatSync(path).isSymbolicLink()) return false
  const top = realPath(repositoryOf(dirname(path)) ?? dirname(path))
  const below = relative(top, realPath(path)).split(sep)
  return below[0] === ".." || below[0] === "" || below.includes(".git") || resolve(top, ...below) !== realPath(path)
}

/** Of the folder and, if it is a link, of the link. */
function ownersOf(path: string): number[] {
  return process.getuid === undefined ? [] : [statSync(path).uid, lstatSync(path).uid]
}

/** The user's own, or, for root, those of the user who ran sudo. */
function isOwn(owner: number): boolean {
  const user = process.getuid?.()
  const before = user === 0 && /^\d{1,10}$/.test(process.env.SUDO_UID ?? "") ? Number(process.env.SUDO_UID) : user
  return owner === user || owner === before
}

function remoteAround(root: string): string | null {
  const top = repositoryOf(root)
  return (top === undefined ? undefined : remoteOf(top)) ?? null
}

function folderFingerprint(root: string): string {
  const { ino, birthtimeMs } = statSync(root)
  return `${ino}-${Math.round(birthtimeMs)}`
}

function realPath(path: string): string {
  return realpathSync.native(path)
}

function realPathIfAny(path: string): string | undefined {
  try {
    return realPath(path)
  } catch {
    return undefined // it is gone, so it is not a checkout
  }
}

/** An unreadable file counts as missing, which means untrusted. */
function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** `hinted`: the repositories whose user was shown how to trust them. */
type TrustFile = { repositories: TrustRecord[]; hinted: string[] }

function trustPath(home: string): string {
  return join(home, "trust.json")
}

function readTrust(home: string): TrustFile {
  const path = trustPath(home)
  const text = readTrustText(path)
  if (text === undefined) return { repositories: [], hinted: [] }
  const value = parseJson(text, path)
  const { version, repositories, hinted } = isRecord(value) ? value : {}
  if (version === 1 && Array.isArray(repositories) && repositories.every(isTrustRecord) && isTexts(hinted))
    return { repositories, hinted }
  throw new DreyError(`${path} is not a trust file that this version of Drey can read`, {
    hint: "Move the file, then run drey trust in each of your repositories.",
  })
}

function readTrustText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined
    throw fileError(path, error)
  }
}

async function changeTrust(home: string, change: (file: TrustFile) => TrustFile): Promise<void> {
  const { withLock } = await import("./disk/lock.ts") // no tool call needs these
  const { makeFolder, writeFileAtomic } = await import("./disk/atomic-write.ts")
  try {
    makeFolder(join(home, "run"), 0o700)
  } catch (error) {
    throw fileError(home, error)
  }
  await withLock(join(home, "run", "trust.lock"), () => {
    const file = change(readTrust(home))
    writeFileAtomic(trustPath(home), `${JSON.stringify({ version: 1, ...file }, null, 1)}\n`, { mode: 0o600 })
  })
}

function isTrustRecord(value: unknown): value is TrustRecord {
  if (!isRecord(value)) return false
  const { path, remote, owner, folder, at, removed, rules, hadSession } = value
  return (
    [path, remote ?? "", folder, at].every((each) => typeof each === "string") &&
    (owner === null || typeof owner === "number") &&
    [removed, hadSession].every((each) => each === undefined || each === true) &&
    (rules === null || isTexts(rules))
  )
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string")
}
