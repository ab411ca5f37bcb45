import { existsSync } from "node:fs"
import { homedir, userInfo } from "node:os"
import { join } from "node:path"
import { writePrivateFile } from "./disk/atomic-write.ts"
import { parseJson } from "./disk/json.ts"
import { FileTooLarge, readTextFile, settingsBytes } from "./disk/text-files.ts"
import { DreyError } from "./errors.ts"
import { isRecord } from "./formats/objects.ts"

export type Config = {
  compat: {
    /** Writes entries so that SquadUI shows their titles and authors: a header of date and title, and a `**By:**` line. */
    squadui: boolean
  }
  limits: {
    /** A history above this size is summarised: its oldest parts move to the archive beside it. */
    historyBytes: number
  }
  upkeep: {
    /** Merge what needs no person and condense histories after a session. Off if the user or the project says so. */
    auto: boolean
  }
  /** Identifies the project where its git remote is not enough. */
  project: ProjectSettings
  sessions: {
    /** The sessions folder, inside the repository, if it is not the default one. */
    root: string | undefined
    /** Keep a working session for each conversation with a connected agent. Off if the user or the project says so. */
    auto: boolean
  }
  recall: RecallSettings
  hooks: {
    /** Run for each entry that lands while `drey watch` runs, the program first; from the user's own settings alone. */
    onEntry: readonly string[]
  }
  /** The owner of learned memories: `DREY_USER`, else the system user name. */
  user: string
  /** What turns episodes into memories. An invalid setting stops only the features that need a writer. */
  writer: WriterSettings | { kind: "unusable"; problem: string }
  /** Why settings were ignored. */
  warnings: string[]
}

/** What hooks inject into agents. A project can lower the user's values but not raise them. */
export type RecallSettings = {
  /** `session`: at the start of a session or a sub-agent. `prompt`: with prompts as well. `off`: warnings before a tool call alone. */
  inject: "off" | "session" | "prompt"
  /** The most tokens at a start, and with a prompt. */
  sessionBudget: number
  promptBudget: number
  /** Show the user a line about what an agent was handed, where the client can; the user's setting alone. */
  show: boolean
}

export const builtInConfig: Omit<Config, "user"> = {
  compat: { squadui: false },
  limits: { historyBytes: 12_288 },
  upkeep: { auto: true },
  project: {},
  sessions: { root: undefined, auto: true },
  recall: { inject: "prompt", sessionBudget: 2000, promptBudget: 2000, show: false },
  hooks: { onEntry: [] },
  writer: { kind: "auto" },
  warnings: [],
}

/**
 * The effective settings. Later sources win: built in, the user's `~/.drey/config.json` (`DREY_HOME` moves it), the
 * project's `.squad/config.json` under the key `drey`.
 */
export function readConfig(storeFolder: string | undefined, environment: NodeJS.ProcessEnv): Config {
  const userPath = join(dreyHome(environment), "config.json")
  const user = readJson(userPath)
  const config: Config = { ...structuredClone(builtInConfig), user: environment.DREY_USER || userInfo().username }
  const project =
    storeFolder === undefined ? undefined : readProjectJson(join(storeFolder, "config.json"), config)?.drey
  for (const layer of [user, project]) {
    const compat = isRecord(layer) && isRecord(layer.compat) ? layer.compat : {}
    if (typeof compat.squadui === "boolean") config.compat.squadui = compat.squadui
    const limits = isRecord(layer) && isRecord(layer.limits) ? layer.limits : {}
    if (typeof limits.historyBytes === "number" && limits.historyBytes > 0)
      config.limits.historyBytes = limits.historyBytes
    const sessions = isRecord(layer) && isRecord(layer.sessions) ? layer.sessions : {}
    if (typeof sessions.root === "string" && sessions.root !== "") config.sessions.root = sessions.root
    if (sessions.auto === false) config.sessions.auto = false
    if (isRecord(layer) && isRecord(layer.upkeep) && layer.upkeep.auto === false) config.upkeep.auto = false
  }
  config.recall = lowerRecall(readRecall(user, userPath, builtInConfig.recall, config), project, storeFolder, config)
  config.project = {
    id: projectIn(user),
    places: isRecord(user) && isRecord(user.projects) ? textsIn(user.projects) : {},
    name: projectIn(project), // a clone may name itself within its remote, but not another project of the user
  }
  const { onEntry = [] } = isRecord(user) && isRecord(user.hooks) ? user.hooks : {}
  if (Array.isArray(onEntry)) config.hooks = { onEntry: onEntry.map(String) }
  else config.warnings.push(`hooks.onEntry in ${userPath} is not a list of a program and its arguments; it is ignored`)
  // A project's file comes with a clone: it must not choose where transcripts are sent or which command reads them.
  if (isRecord(user) && isRecord(user.writer)) config.writer = readWriterSettings(user.writer, userPath)
  return config
}

const injections = ["off", "session", "prompt"] as const

function readRecall(layer: unknown, path: string, otherwise: RecallSettings, { warnings }: Config): RecallSettings {
  const { inject, sessionBudget, promptBudget, show } = isRecord(layer) && isRecord(layer.recall) ? layer.recall : {}
  const chosen = injections.find((name) => name === inject)
  if (inject !== undefined && !chosen)
    warnings.push(`recall.inject in ${path} is not one of ${injections.join(", ")}; it is ignored`)
  const tokens = (name: string, value: unknown, usual: number) => {
    if (value === undefined) return usual
    if (typeof value === "number" && value >= 0) return Math.floor(value)
    warnings.push(`recall.${name} in ${path} is not a number of tokens; it is ignored`)
    return usual
  }
  return {
    inject: chosen ?? otherwise.inject,
    sessionBudget: tokens("sessionBudget", sessionBudget, otherwise.sessionBudget),
    promptBudget: tokens("promptBudget", promptBudget, otherwise.promptBudget),
    show: typeof show === "boolean" ? show : otherwise.show,
  }
}

/** A project's file comes with a clone: it may reduce what is injected, never increase it. */
function lowerRecall(
  user: RecallSettings,
  project: unknown,
  folder: string | undefined,
  config: Config,
): RecallSettings {
  const wanted = readRecall(project, join(folder ?? "", "config.json"), user, config)
  const rank = (inject: RecallSettings["inject"]) => injections.indexOf(inject)
  return {
    inject: rank(wanted.inject) < rank(user.inject) ? wanted.inject : user.inject,
    sessionBudget: Math.min(wanted.sessionBudget, user.sessionBudget),
    promptBudget: Math.min(wanted.promptBudget, user.promptBudget),
    show: user.show,
  }
}

function projectIn(layer: unknown): string | undefined {
  const project = isRecord(layer) && isRecord(layer.project) ? layer.project : {}
  return typeof project.id === "string" && project.id !== "" ? project.id : undefined
}

function textsIn(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  )
}

const writerKinds = ["auto", "rules", "model", "command"] as const
const providers = ["anthropic", "openai", "google", "openai-compatible"] as const

function readWriterSettings(
  { kind = "auto", provider, ...value }: Record<string, unknown>,
  path: string,
): Config["writer"] {
  const { model, baseUrl, command, timeoutMs } = value
  const unusable = (key: string, names: readonly string[]) => {
    return { kind: "unusable", problem: `writer.${key} in ${path} is not one of ${names.join(", ")}` } as const
  }
  const chosenKind = writerKinds.find((name) => name === kind)
  const chosenProvider = providers.find((name) => name === provider)
  if (!chosenKind) return unusable("kind", writerKinds)
  if (provider !== undefined && !chosenProvider) return unusable("provider", providers)
  return {
    kind: chosenKind,
    ...(chosenProvider === undefined ? {} : { provider: chosenProvider }),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof baseUrl === "string" ? { baseUrl } : {}),
    ...(Array.isArray(command) ? { command: command.map(String) } : {}),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
  }
}

/** Changes the writer in the user's `config.json`; everything else in it is kept. */
export function saveWriterSettings(environment: NodeJS.ProcessEnv, writer: WriterSettings): void {
  const path = join(dreyHome(environment), "config.json")
  writePrivateFile(path, `${JSON.stringify({ ...readJson(path), writer }, null, 2)}\n`)
}

/** The folder for the user's data; `DREY_HOME` overrides it. */
export function dreyHome(environment: NodeJS.ProcessEnv): string {
  return environment.DREY_HOME ?? join(homedir(), ".drey")
}

/** A project's file comes with a clone: an oversized file must not stop the user from working there. */
function readProjectJson(path: string, config: Config): Record<string, unknown> | undefined {
  try {
    return readJson(path)
  } catch (error) {
    if (!(error instanceof FileTooLarge)) throw error
    config.warnings.push(`${error.message}; its settings are ignored`)
    return undefined
  }
}

/** Cache of parsed files: a process reads its settings several times. */
const parsed = new Map<string, { text: string; value: Record<string, unknown> }>()

function readJson(path: string): Record<string, unknown> | undefined {
  if (!existsSync(path)) return undefined
  const { text } = readTextFile(path, { maxBytes: settingsBytes })
  const known = parsed.get(path)
  if (known?.text === text) return known.value
  const value = parseJson(text, path)
  if (!isRecord(value)) throw new DreyError(`${path} is not a JSON object`)
  parsed.set(path, { text, value })
  return value
}

export type WriterSettings = {
  /** `auto`: a model if one is set and its key is available, else rules. */
  kind: "auto" | "rules" | "model" | "command"
  provider?: ModelProvider
  model?: string
  baseUrl?: string
  command?: readonly string[]
  timeoutMs?: number
}

export type ProjectSettings = {
  /** From the user's own settings: an id, or a name shared by several projects. */
  id?: string | undefined
  /** The same for one root or one remote, also from the user's own settings. */
  places?: Readonly<Record<string, string>>
  /** The repository's name for itself. It comes with a clone, so it may only separate projects of one remote. */
  name?: string | undefined
}

export type ModelProvider = "anthropic" | "openai" | "google" | "openai-compatible"
