import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { readTextFile } from "../disk/read-text-file.ts"
import { renameFileDurable } from "../disk/rename-file.ts"
import { writeFileAtomic } from "../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../errors.ts"
import { editYaml } from "../formats/session/edit-yaml.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { generated } from "../governance/cleared.ts"
import { clearEdits } from "./clear-values.ts"
import { backUpBeforeMigration, type Migrations, migrations as ownMigrations } from "./migrate-file.ts"
import { InvalidSessionFile, parseSessionFile, type SessionFileKind, type StoredFile } from "./parse-session-file.ts"

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

/** Undefined if the file does not exist. Links are not followed: a clone must not lead elsewhere. */
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
