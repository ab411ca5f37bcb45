import { randomUUID } from "node:crypto"
import { homedir } from "node:os"
import type { Machine } from "./clients/client.ts"
import { type Config, dreyHome, readConfig, saveWriterSettings, type WriterSettings } from "./config.ts"
import { removeFileDurable } from "./disk/atomic-write.ts"
import { DreyError } from "./errors.ts"
import { removeInvisible } from "./formats/text.ts"
import type { StaticOutcome } from "./index/embedders/static-embedder.ts"
import type { Learning } from "./learning/learning.ts"
import { readPolicy } from "./memories/review/policy-file.ts"
import { openNotes } from "./memories/staleness/staleness-notes.ts"
import { type LearnedRecall, openLearnedRecall } from "./recall/learned-recall.ts"
import type { Recall, RecallOptions } from "./recall/recall.ts"
import type { RecallParts } from "./recall/recall-parts.ts"
import type { KeptIndexes } from "./recall/sync/kept-indexes.ts"
import type { GovernedContext } from "./team/governed/governed-context.ts"
import type { AdapterClient, MemoryProvider } from "./team/governed/providers.ts"
import { findStore, folderOf, requireStore, sessionsRoot, type TeamStore } from "./team/team-folder.ts"
import {
  addSeenRules,
  type RepositoryTrust,
  repositoryTrust,
  requireReadableTeamFolder,
  trustIfConnected,
} from "./trust.ts"

export type DreyOptions = {
  /** Where to look for the team folder, upwards from here. Default: the working directory. */
  root?: string
  now?: () => Date
  makeId?: () => string
  environment?: NodeJS.ProcessEnv
  /** The user did not ask for this: until they trust the repository, its content is background only. */
  automatic?: boolean
  /** A long-running process: it may load models that rank better but are slow to load. */
  resident?: boolean
  /** Answers from the current search index, even if it is stale, and does not update it. */
  asIs?: boolean
  /** Receives warnings for the user. Default: stderr. */
  warn?: (message: string) => void
  /** The coding agent that calls: it proposes rules, the user accepts them. Default: the user calls. */
  agent?: string | undefined
}

export type GovernedOptions = {
  /** The coding agent that calls, if not the one given to `openDrey`. */
  agent?: string | undefined
  /** Memories outside the repository that keep copies. */
  providers?: readonly MemoryProvider[]
  /** The client that a host program provides for COPILOT_MEMORY. */
  client?: AdapterClient
  /** Receives warnings for the user. */
  warn?: (message: string) => void
}

/** One repository with its settings, its trust, and the parts that are opened when first needed. */
export type Project = {
  readonly options: DreyOptions
  readonly root: string
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  readonly machine: Machine
  readonly now: () => Date
  readonly makeId: () => string
  readonly warn: (message: string) => void
  /** The team folders as they were found last; `find` looks again. */
  store(): TeamStore
  find(): void
  /** The settings; `config` requires a team folder. */
  settings(): Config
  config(): Config
  trust(): Promise<RepositoryTrust>
  /** True when nobody asked and the user has not trusted this repository. */
  isUntrusted(): Promise<boolean>
  /** Runs a change whose rules are the user's own, so that they are not reported later as changed by others. */
  ownWrite<Result>(write: () => Promise<Result>, isUsers?: boolean): Promise<Result>
  /** Wraps these methods of a noun in `ownWrite`. */
  ownWrites<Noun extends object>(noun: Noun, names: readonly (keyof Noun)[]): Noun
  governedContext(options?: GovernedOptions): GovernedContext
  sessionsFolder(): string
  /** Undefined, with a warning, when the configured folder cannot be used. */
  sessionsIfAny(): string | undefined
  recallOptions(): RecallOptions
  recall(): Promise<Recall>
  /** Restricts a question to what the trust in this repository allows. */
  within<Answer>(question: (parts: RecallParts) => Promise<Answer>): (parts: RecallParts) => Promise<Answer>
  /** What was learned, as recall reads it; undefined, with a warning, when it cannot be opened. */
  learned(): LearnedRecall | undefined
  learning(): Promise<Learning>
  /** Saves the user's writer; learning is opened again with it. */
  chooseWriter(settings: WriterSettings): Promise<void>
  /** Embeds with the table that ships with Drey; returns undefined when there is none. */
  embedder(): Promise<(text: string) => Float32Array | undefined>
  /** Opens a part once per team folder; a failed attempt is tried again by the next call. */
  oncePerStore<Part>(open: () => Promise<Part>): () => Promise<Part>
  /** Registers what `close` has to close. */
  onClose(close: () => Promise<void> | void): void
  close(): Promise<void>
}

/** Finds the repository around `root`. Reads little and loads little until a part is needed. */
export function openProject(options: DreyOptions = {}, keptIndexes?: KeptIndexes): Project {
  const environment = options.environment ?? process.env
  const now = options.now ?? (() => new Date())
  const start = options.root ?? environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT ?? process.cwd()
  const home = dreyHome(environment)
  const machine = { home: environment.HOME ?? homedir(), environment, platform: process.platform }
  const warn = options.warn ?? ((message: string) => void process.stderr.write(`drey: ${removeInvisible(message)}\n`))
  let store = findStore(start, home)
  requireReadableTeamFolder(home, store)

  const warned = new Set<string>()
  const warnOnce = (message: string) => {
    if (!warned.has(message)) warn(message)
    warned.add(message)
  }
  const settings = () => {
    const config = readConfig(store.folders[0]?.path, environment)
    config.warnings.forEach(warnOnce)
    return config
  }
  const config = () => {
    requireStore(store)
    return settings()
  }

  const trust = async () => (options.automatic ? trustIfConnected(home, store) : repositoryTrust(home, store))
  const isUntrusted = async () => {
    if (!options.automatic) return false
    requireReadableTeamFolder(home, store) // the folder may have been replaced since this process opened it
    return (await trust()).kind !== "trusted"
  }
  const ownWrite: Project["ownWrite"] = async (write, isUsers = options.automatic !== true) => {
    const current = isUsers ? repositoryTrust(home, store) : undefined
    if (current?.kind !== "trusted" || !current.record) return write()
    const { openOwnWrites } = await import("./recall/binding-rules.ts")
    const writes = openOwnWrites(store, now)
    const result = await write()
    try {
      await addSeenRules(home, store, await writes.added())
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warn(`the next session may report this change as made by others: ${error.message}`) // the change itself is saved
    }
    return result
  }

  const sessionsFolder = () => sessionsRoot(store.root, settings().sessions.root)
  const sessionsIfAny = (): string | undefined => {
    try {
      return sessionsFolder()
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warnOnce(`session notes are skipped: ${error.message}`) // everything else can still be found
      return undefined
    }
  }

  const toClose: (() => Promise<void> | void)[] = []
  let openedRecall: Promise<Recall> | undefined
  let openedLearned: LearnedRecall | undefined
  let openedLearning: Learning | undefined
  let table: StaticOutcome | undefined

  /** An untrusted repository has no influence on how memories are handed out. */
  const policyFolder = () =>
    options.automatic && repositoryTrust(home, store).kind !== "trusted" ? undefined : store.folders[0]?.path
  const learned = (): LearnedRecall | undefined => {
    try {
      openedLearned ??= openLearnedRecall({
        home,
        store,
        project: config().project,
        policy: readPolicy({ home, storeFolder: policyFolder() }).policy,
        readItems: async (project) => {
          const { itemOfMemory } = await import("./recall/payload.ts")
          const live = { project, statuses: ["provisional", "active"] as const }
          return (await (await learning()).memories(live)).map(itemOfMemory)
        },
      })
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      warnOnce(`learned memories are skipped: ${error.message}`) // team memory can still be used
    }
    return openedLearned
  }
  const learning = async (): Promise<Learning> => {
    if (openedLearning) return openedLearning
    const { openLearning } = await import("./learning/learning.ts")
    const { writer, user } = config()
    const root = requireStore(store).root
    const mayLearn = (each: string) => repositoryTrust(home, findStore(each, home)).kind === "trusted"
    openedLearning = openLearning({ home, root, settingsOf, owner: user, writer, machine, now, warn, mayLearn })
    return openedLearning
  }
  /** Unreadable settings name no project; opening that project reports the error. */
  const settingsOf = (folder: string) => {
    try {
      return readConfig(findStore(folder, home).folders[0]?.path, environment).project
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      return readConfig(undefined, environment).project
    }
  }
  const recallOptions = (): RecallOptions => ({
    store,
    home,
    now,
    resident: options.resident === true,
    asIs: options.asIs === true,
    keptIndexes,
    sessions: sessionsIfAny,
    learned,
    conversations: () => {
      const months = learned()?.conversationMonths
      return months && { months, read: async (month) => (await learning()).conversations(month) }
    },
    notes: (path) => openNotes(path, store.root),
    warn,
  })

  return {
    options,
    root: store.root,
    home,
    environment,
    machine,
    now,
    makeId: options.makeId ?? randomUUID,
    warn,
    store: () => store,
    find() {
      store = findStore(start, home)
      openedRecall = undefined
    },
    settings,
    config,
    trust,
    isUntrusted,
    ownWrite,
    ownWrites(noun, names) {
      const wrapped = names.map((name) => {
        const act = noun[name] as (...given: unknown[]) => Promise<unknown>
        return [name, (...given: unknown[]) => ownWrite(() => act(...given))]
      })
      return { ...noun, ...Object.fromEntries(wrapped) }
    },
    governedContext: (memory = {}) => ({
      store,
      folder: folderOf(store),
      now,
      makeId: options.makeId ?? randomUUID,
      providers: memory.providers ?? [],
      client: memory.client,
      agent: memory.agent ?? options.agent,
      removeFile: removeFileDurable,
      warn: memory.warn ?? (() => {}),
    }),
    sessionsFolder,
    sessionsIfAny,
    recallOptions,
    async recall() {
      requireStore(store)
      const { openRecall } = await import("./recall/recall.ts")
      openedRecall ??= openRecall(recallOptions())
      return openedRecall
    },
    within: (question) => async (parts) => {
      if (!(await isUntrusted())) return question(parts)
      const { asUntrusted } = await import("./recall/recall-parts.ts")
      return question(asUntrusted(parts))
    },
    learned,
    learning,
    async chooseWriter(settings) {
      saveWriterSettings(environment, settings)
      await openedLearning?.close()
      openedLearning = undefined
    },
    async embedder() {
      const { openStaticEmbedder } = await import("./index/embedders/static-embedder.ts")
      return (text) => {
        table ??= openStaticEmbedder()
        return table.kind === "ready" ? table.embedder.embedNow(text) : undefined
      }
    },
    oncePerStore(open) {
      let last: { store: TeamStore; part: ReturnType<typeof open> } | undefined
      return () => {
        if (last?.store === store) return last.part
        const opening = { store, part: open() }
        last = opening
        opening.part.catch(() => {
          if (last === opening) last = undefined // the caller gets the error; the next call may succeed
        })
        return opening.part
      }
    },
    onClose: (close) => void toClose.push(close),
    async close() {
      const closing = openedRecall
      openedRecall = undefined
      await (await closing)?.close()
      openedLearned?.close()
      openedLearned = undefined
      await openedLearning?.close()
      openedLearning = undefined
      for (const close of toClose.splice(0)) await close()
      if (table?.kind === "ready") table.embedder.close()
      table = undefined
    },
  }
}
