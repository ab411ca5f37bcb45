import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { copyFileVerified, renameFileDurable, writeFileAtomic } from "../disk/atomic-write.ts"
import { readTextFile } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { readAgentMemory } from "../formats/session/agent-memory-file.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import { readSiblingFile, type SiblingData } from "../formats/session/sibling-file.ts"
import { editYaml } from "../formats/session/yaml-editor.ts"
import { readYaml } from "../formats/session/yaml-reader.ts"
import type { YamlDocument, YamlEdit } from "../formats/session/yaml-tree.ts"
import { generated } from "../governance/cleared.ts"
import { clearEdits } from "./session-input.ts"

/** The files of one session's folder. Parsed files are cached by their text. */
export type SessionFiles = {
  readonly id: string
  readonly folder: string
  /** Receives warnings. */
  warn(message: string): void
  /** The path of a file that exists once per session. */
  pathOf(kind: Exclude<SessionFileKind, "memory">): string
  /** The file's text; undefined if it does not exist. */
  text(path: string): string | undefined
  /** Undefined if the file does not exist; an invalid file throws a `DreyError` with its location. */
  read<Kind extends SessionFileKind>(kind: Kind, path: string): StoredFile<Kind> | undefined
  /** The same, but ignores an invalid file. */
  readValid<Kind extends SessionFileKind>(kind: Kind, path: string): StoredFile<Kind> | undefined
  /** The same, but warns about an invalid file; each problem is reported once. */
  readOrWarn<Kind extends SessionFileKind>(kind: Kind, path: string): StoredFile<Kind> | undefined
  /**
   * Reads a file, applies edits, and replaces it atomically; concurrent changes are kept. Every text in the edits
   * passes the governance check. `created` is the initial text of a missing file. Call it under the session's lock.
   */
  change<Kind extends SessionFileKind>(
    kind: Kind,
    path: string,
    edit: (stored: StoredFile<Kind>) => readonly YamlEdit[],
    created?: () => string,
  ): StoredFile<Kind>
}

export type SessionFilesOptions = {
  id: string
  folder: string
  now: () => Date
  warn: (message: string) => void
  /** Whether an invalid file that has to be written is renamed and replaced by a new one. */
  setAside?: boolean | undefined
  migrations?: Migrations | undefined
}

const privateFile = 0o600
const mostTries = 20

export function openSessionFiles(options: SessionFilesOptions): SessionFiles {
  const { id, folder, now, warn, migrations = ownMigrations } = options
  const known = new Map<string, { text: string; stored: StoredFile<SessionFileKind> }>()
  const told = new Set<string>()

  function parse<Kind extends SessionFileKind>(kind: Kind, path: string, text: string): StoredFile<Kind> {
    const last = known.get(path)
    if (last?.text === text) return last.stored as StoredFile<Kind> // a path always holds the same kind
    const stored = parseSessionFile(kind, path, text, { sessionId: id, migrations })
    known.set(path, { text, stored })
    return stored
  }

  function read<Kind extends SessionFileKind>(kind: Kind, path: string): StoredFile<Kind> | undefined {
    const text = textOf(path)
    return text === undefined ? undefined : parse(kind, path, text)
  }

  function readUnless<Kind extends SessionFileKind>(kind: Kind, path: string, tell: (problem: string) => void) {
    try {
      return read(kind, path)
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      tell(error.message)
      return undefined
    }
  }

  function tellOnce(problem: string): void {
    if (!told.has(problem)) warn(`${problem}; the file was skipped and not changed`)
    told.add(problem)
  }

  /** The file was valid before, so the edits made it invalid. */
  function parseEdited<Kind extends SessionFileKind>(kind: Kind, path: string, text: string): StoredFile<Kind> {
    try {
      return parseSessionFile(kind, path, text, { sessionId: id, migrations })
    } catch (error) {
      throw error instanceof InvalidSessionFile
        ? new DreyError(error.problem, { hint: "Nothing was written.", cause: error })
        : error
    }
  }

  /** Undefined for a missing file: a new one may be created. */
  function readForChange<Kind extends SessionFileKind>(kind: Kind, path: string): StoredFile<Kind> | undefined {
    try {
      return read(kind, path)
    } catch (error) {
      if (!options.setAside || !(error instanceof InvalidSessionFile)) throw error
      warn(`${error.message}; it was kept as ${setAside(path, now())}, and a new file was started`)
      return undefined
    }
  }

  return {
    id,
    folder,
    warn,
    pathOf: (kind) => join(folder, `${kind}.yaml`),
    text: textOf,
    read,
    readValid: (kind, path) => readUnless(kind, path, () => {}),
    readOrWarn: (kind, path) => readUnless(kind, path, tellOnce),
    change(kind, path, edit, created) {
      for (let tries = 0; tries < mostTries; tries++) {
        const old = readForChange(kind, path)
        const stored = old ?? parseSessionFile(kind, path, startOf(path, created), { sessionId: id, migrations })
        requireWritable(stored)
        const edits = edit(stored)
        if (old && edits.length === 0) return stored
        const text = generated(editYaml(stored.document, clearEdits([...versionAsText(stored), ...edits])))
        const changed = parseEdited(kind, path, text)
        if (textOf(path) !== old?.text) continue // changed in the meantime: edit the new content instead of replacing it
        backUpBeforeMigration(stored)
        writeFileAtomic(path, text, { mode: privateFile, derived: isDerived(changed) })
        known.set(path, { text, stored: changed })
        return changed
      }
      throw new DreyError(`${path} is being changed by another process; nothing was written`, {
        hint: "Try again later.",
        exitCode: exitCode.no,
      })
    },
  }
}

/** Renames an invalid file so that nothing reads it; returns the new name. */
export function setAside(path: string, now: Date): string {
  const aside = `${path}.corrupt-${now.toISOString().replace(/[-:]|\.\d+/g, "")}`
  let free = aside
  for (let count = 2; existsSync(free); count++) free = `${aside}-${count}`
  renameFileDurable(path, free)
  return free
}

/** The metadata of an active session can be rebuilt; how a session ended is stored nowhere else. */
function isDerived({ data }: StoredFile<SessionFileKind>): boolean {
  return data.schema === "session-metadata" && data.status === "active"
}

/** Undefined if the file does not exist. Links are not followed: a clone must not redirect a read. */
function textOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (stats.isSymbolicLink())
    throw new DreyError(`${path} is a symbolic link, which Drey does not follow`, {
      hint: "Replace it with the file itself.",
    })
  try {
    return readTextFile(path).text
  } catch (error) {
    const isNoText = error instanceof DreyError && error.cause === undefined // a system error has its own cause
    throw isNoText ? new InvalidSessionFile(error.message, error.message) : error
  }
}

function startOf(path: string, created: (() => string) | undefined): string {
  if (created) return created()
  throw new DreyError(`${path} does not exist`)
}

function requireWritable({ path, data, writable }: StoredFile<SessionFileKind>): void {
  if (writable) return
  throw new DreyError(`${path} has version ${data.version}, which this version of Drey can read but not write`, {
    hint: "Write to it with the version of Drey that made it, or upgrade this one.",
    exitCode: exitCode.no,
  })
}

/** Many people write version 1 as a number; the format requires text. */
function versionAsText({ document }: StoredFile<SessionFileKind>): YamlEdit[] {
  const { version } = document.value
  return typeof version === "number" ? [{ op: "set", path: ["version"], value: String(version) }] : []
}

/** The data of a session file, by its kind. */
type SessionData = SiblingData & { memory: AgentMemory }
type SessionFileKind = keyof SessionData

export type AgentMemoryFile = StoredFile<"memory">

/** A parsed file. */
export type StoredFile<Kind extends SessionFileKind> = {
  path: string
  /** The text on disk. */
  text: string
  /** Of the text, or of its migrated version. */
  document: YamlDocument
  data: SessionData[Kind]
  /** Warnings only: a file with errors is rejected. */
  problems: SessionProblem[]
  writable: boolean
  /** The older version on disk, if the file was migrated. */
  migratedFrom: string | undefined
  bytes: number
}

/** A file that is not YAML or violates the schema; not one with a newer version or without read permission. */
class InvalidSessionFile extends DreyError {
  /** What is wrong, without the location. */
  readonly problem: string

  constructor(message: string, problem: string) {
    super(message, { hint: "The file was not changed. Fix this line, or move the file away." })
    this.problem = problem
  }
}

/** Parses a file's text; a problem throws a `DreyError` with its location. */
function parseSessionFile<Kind extends SessionFileKind>(
  kind: Kind,
  path: string,
  text: string,
  { sessionId, migrations }: { sessionId: string; migrations: Migrations },
): StoredFile<Kind> {
  const migrated = migrateText(text, migrations)
  const reading = readByKind(kind, migrated.text, sessionId)
  if (reading.kind !== "read") throw explain(path, reading)
  return {
    path,
    text,
    document: reading.document,
    data: reading.data as SessionData[Kind], // each kind has its own reader
    problems: reading.problems,
    writable: reading.writable,
    migratedFrom: migrated.from,
    bytes: Buffer.byteLength(text),
  }
}

function readByKind(kind: SessionFileKind, text: string, sessionId: string) {
  if (kind !== "memory") return readSiblingFile(kind, text, { sessionId })
  const reading = readAgentMemory(text, { sessionId })
  return reading.kind === "read" ? { ...reading, data: reading.memory } : reading
}

type Failure = { kind: "invalid" | "unsupported"; problems: SessionProblem[] }

function explain(path: string, { kind, problems }: Failure): DreyError {
  const errors = problems.filter(({ severity }) => severity === "error")
  // In a file of another version the other errors may be false alarms.
  const first = (kind === "unsupported" && errors.find((error) => error.path === "version")) || errors[0]
  if (!first) throw new Error(`${path} cannot be read, and nothing says why`)
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more; drey session validate lists them)` : ""
  const message = `${path}:${first.line}:${first.column} ${describeProblem(first)}${others}`
  return kind === "invalid" ? new InvalidSessionFile(message, describeProblem(first)) : new DreyError(message)
}

export function describeProblem({ path, message }: SessionProblem): string {
  return path === "" ? message : `${path}: ${message}`
}

/** By an older major version, the edits that make the next one of a file. The last of them sets `version`. */
export type Migrations = Readonly<Record<string, (document: YamlDocument) => YamlEdit[]>>

/** Version 1 is the first. */
const ownMigrations: Migrations = {}

/** The text in the newest version it can be upgraded to, and its previous version. */
function migrateText(text: string, migrations: Migrations): { text: string; from: string | undefined } {
  let migrated = text
  let from: string | undefined
  for (let steps = Object.keys(migrations).length; steps > 0; steps--) {
    const reading = readYaml(migrated)
    if (reading.kind === "broken") break
    const version = majorOf(reading.document.value.version)
    const migrate = Object.hasOwn(migrations, version) ? migrations[version] : undefined
    if (!migrate) break
    migrated = editYaml(reading.document, migrate(reading.document))
    from ??= version
  }
  return { text: migrated, from }
}

/** Keeps an older file as it was, once, before it is written in this version. */
function backUpBeforeMigration({ path, migratedFrom }: { path: string; migratedFrom: string | undefined }): void {
  if (migratedFrom === undefined) return
  const backup = `${path}.v${migratedFrom}.bak`
  if (!existsSync(backup)) copyFileVerified(path, backup)
}

function majorOf(version: unknown): string {
  return String(version).split(".")[0] ?? ""
}

/** The text of a new session file: the head that all of them have, then these fields. */
export function newFileText(schema: string, sessionId: string, fields: Record<string, unknown>): string {
  const head = readYaml(`version: "1"\nschema: "${schema}"\n\nsessionId: "${sessionId}"\n`)
  if (head.kind === "broken") throw new Error("the head of a session file is not YAML")
  const further = Object.entries(fields).filter(([key, value]) => value !== undefined && !(key in head.document.value))
  return editYaml(head.document, clearEdits(further.map(([key, value]) => ({ op: "set", path: [key], value }))))
}

/** The text of an empty agent memory, with its sections in reading order. */
export function newMemory(sessionId: string, agent: string, now: Date): string {
  const time = now.toISOString()
  const head = newFileText("agent-memory", sessionId, { agent, createdAt: time, updatedAt: time })
  return `${head}\ndiscoveries: []\n\nattempts: []\n\ndecisions: []\n`
}
