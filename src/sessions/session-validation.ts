import { existsSync, lstatSync, readdirSync } from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { fileError, readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import type { Check } from "../formats/check.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { readAgentMemory } from "../formats/session/agent-memory-file.ts"
import { isSessionId } from "../formats/session/session-id.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import { readSiblingFile, type SiblingKind } from "../formats/session/sibling-file.ts"
import type { YamlDocument } from "../formats/session/yaml-tree.ts"
import { nameSome, quantity } from "../formats/text.ts"
import { findSensitive } from "../governance/redaction.ts"

import { readMemories } from "./agent-files.ts"
import { listEntries, qualifiedId } from "./entry-references.ts"
import type { SessionSummary, SessionValidation } from "./session-api.ts"
import { openSessionFiles } from "./session-files.ts"
import { findDue } from "./session-folder.ts"
import { listSessions } from "./session-list.ts"
import { currentStepOf } from "./session-plan.ts"

/** Checks files, session folders, or all sessions. An invalid file does not stop the check. */
export function validateSessions(folder: string, paths?: readonly string[]): SessionValidation {
  const named = paths?.map((path) => resolve(path)) ?? sessionsIn(folder)
  const files = named.flatMap((path) => filesAt(path)).map(validateFile)
  const count = (severity: SessionProblem["severity"]) =>
    files.reduce((sum, { problems }) => sum + problems.filter((problem) => problem.severity === severity).length, 0)
  return { files, errors: count("error"), warnings: count("warning") }
}

const fileName = /^(?:agent-memory(?:-archive)?(?:\.[a-z0-9-]+)?|context|conversation|plan|metadata)\.yaml$/

/** By name only: something else in place of a session folder is reported too. */
function sessionsIn(folder: string): string[] {
  return namesAt(folder)
    .filter(isSessionId)
    .map((id) => join(folder, id))
}

/** A session folder without session files is reported itself. */
function filesAt(path: string): string[] {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder || fileName.test(basename(path))) return [path]
  const own = namesAt(path).filter((name) => fileName.test(name))
  if (own.length > 0) return own.map((name) => join(path, name))
  return isSessionId(basename(path)) ? [path] : sessionsIn(path).flatMap(filesAt)
}

function namesAt(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder).sort() : []
  } catch (error) {
    throw fileError(folder, error)
  }
}

function validateFile(path: string): SessionValidation["files"][number] {
  let text: string
  try {
    text = readOwnFile(path)
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return {
      path,
      problems: [{ ...atLine(1), severity: "error", code: "syntax", message: error.message }],
      unreadable: true,
    }
  }
  const kind = kindOf(path, text)
  const reading = kind === "memory" ? readMemoryAt(path, text) : readSiblingFile(kind, text, sessionOf(path))
  const problems = [...reading.problems, ...secretsIn(text)]
  const isUnsupported = reading.kind === "unsupported" || problems.some(({ code }) => code === "newer-version")
  return { path, problems: problems.sort(byPlace), unreadable: isUnsupported }
}

function readOwnFile(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink()) throw new DreyError(`${path} is a symbolic link, which Drey does not follow`)
  if (stats?.isDirectory() && isSessionId(basename(path))) throw new DreyError(`${path} contains no agent memory`)
  return readTextFile(path).text
}

/** By file name; a file with another name is recognised by its content. */
function kindOf(path: string, text: string): SiblingKind | "memory" {
  const [, name] = /^(context|conversation|plan|metadata)\.yaml$/.exec(basename(path)) ?? []
  const [, schema] = /^schema:\s{0,9}["']?session-(context|conversation|plan|metadata)\b/m.exec(text) ?? []
  const known: readonly SiblingKind[] = ["context", "conversation", "plan", "metadata"]
  return known.find((kind) => kind === (fileName.test(basename(path)) ? name : schema)) ?? "memory"
}

function readMemoryAt(path: string, text: string) {
  const others = otherMemories(path)
  const archive = basename(path).startsWith("agent-memory-archive")
  const reading = readAgentMemory(text, { ...sessionOf(path), known: namesIn(others), archive })
  if (reading.kind !== "read") return reading
  const { document, memory } = reading
  const archived = others.get(basename(path).replace("agent-memory", "agent-memory-archive"))
  const more = [...checkStep(path, document, memory), ...(archived ? checkArchived(document, memory, archived) : [])]
  return { ...reading, problems: [...reading.problems, ...more] }
}

/**
 * By file name: entries may refer to other agents' entries and to the archive. An unreadable file is reported
 * separately.
 */
function otherMemories(path: string): Map<string, AgentMemory> {
  const others = new Map<string, AgentMemory>()
  for (const name of readdirSync(dirname(path))) {
    const isOther = name !== basename(path) && name.startsWith("agent-memory") && fileName.test(name)
    const text = isOther ? textIfReadable(join(dirname(path), name)) : undefined
    const reading = text === undefined ? undefined : readAgentMemory(text)
    if (reading?.kind === "read") others.set(name, reading.memory)
  }
  return others
}

/** Every id, alone and with its agent's name. */
function namesIn(memories: ReadonlyMap<string, AgentMemory>): Set<string> {
  const entries = [...memories.values()].flatMap((memory) =>
    listEntries(memory).map(({ entry }) => ({ agent: memory.agent, id: entry.id })),
  )
  return new Set(entries.flatMap(({ agent, id }) => [id, qualifiedId(agent, id)]))
}

function textIfReadable(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readTextFile(path).text
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return undefined // reported separately
  }
}

/**
 * A process killed during archiving leaves an entry in both files, possibly changed since; different entries need
 * different ids.
 */
function checkArchived(document: YamlDocument, memory: AgentMemory, archive: AgentMemory): SessionProblem[] {
  const archived = new Map(listEntries(archive).map(({ section, entry }) => [`${section} ${entry.id}`, entry]))
  return listEntries(memory).flatMap(({ section, index, entry }) => {
    const other = archived.get(`${section} ${entry.id}`)
    if (!other || isDeepStrictEqual(other, entry)) return []
    const isSame = other.timestamp === entry.timestamp
    const message = isSame
      ? `The archive has an older version of ${entry.id}: this version is used, and replaces the archived one on the next archive.`
      : `The id ${entry.id} is already used in the archive: give this entry a different id.`
    const severity = isSame ? ("warning" as const) : ("error" as const)
    return { ...placeOf(document, [section, index, "id"]), severity, code: "duplicate-id" as const, message }
  })
}

function placeOf(document: YamlDocument, path: readonly [string, number, string]) {
  const [section, index, field] = path
  return { path: `${section}[${index}].${field}`, ...document.positionOf(path) }
}

function checkStep(path: string, document: YamlDocument, { context }: AgentMemory): SessionProblem[] {
  const text = context && textIfReadable(join(dirname(path), "plan.yaml"))
  if (!context || text === undefined) return []
  const reading = readSiblingFile("plan", text)
  const plan = reading.kind === "read" ? reading.data.plans.at(-1) : undefined
  return Object.entries((plan && currentStepOf(plan)) ?? {})
    .filter(([field, value]) => context[field] !== undefined && context[field] !== value)
    .map(([field, value]) => ({
      severity: "warning",
      code: "plan-mismatch",
      path: `context.${field}`,
      ...document.positionOf(["context", field]),
      message: `plan.yaml says ${value}, which takes precedence.`,
    }))
}

/** By line and rule, never by value. */
function secretsIn(text: string): SessionProblem[] {
  return findSensitive(text)
    .filter(({ kind }) => kind !== "other")
    .map(({ line, kind, reason }) => {
      const message = `This looks like ${kind === "secret" ? `a secret (${reason})` : "personal data"}: remove it.`
      return { ...atLine(line), severity: "warning", code: "secret", message }
    })
}

function atLine(line: number) {
  return { path: "", line, column: 1 }
}

function sessionOf(path: string): { sessionId?: string } {
  const folder = basename(dirname(path))
  return isSessionId(folder) ? { sessionId: folder } : {}
}

function byPlace(one: SessionProblem, other: SessionProblem): number {
  return one.line - other.line || one.column - other.column
}

/** Reading every file of a thousand sessions would take too long; those that are still worked with are the newest. */
const readWhole = 20

/** For `doctor`: can the sessions be read, and are there more of them than should be kept? */
export function checkSessions(folder: string, now: Date): Check {
  const sessions = listSessions(folder)
  const problems = sessions
    .flatMap((session, position) => problemOf(session, position < readWhole) ?? [])
    .map((problem) => problem.replace(`${folder}${sep}`, ""))
  if (problems.length > 0)
    return warn(
      `${quantity(problems.length, "session")} cannot be read: ${nameSome(problems, 3)}. Fix the files by hand.`,
    )
  const due = findDue(sessions, now)
  if (due.length > 0)
    return warn(
      `${quantity(due.length, "session")} of ${sessions.length} can be deleted. "drey session cleanup" lists them.`,
    )
  const message =
    sessions.length === 0 ? "There are no sessions." : `${quantity(sessions.length, "session")} can be read.`
  return { name: "sessions", status: "pass", message }
}

function warn(message: string): Check {
  return { name: "sessions", status: "warn", message }
}

function problemOf(session: SessionSummary, isRead: boolean): string | undefined {
  if (session.kind === "unreadable") return session.problem
  if (!isRead) return undefined
  const { id, folder } = session
  try {
    readMemories(openSessionFiles({ id, folder, now: () => new Date(0), warn: () => {} }), {
      archived: true,
      unreadable: "throw",
    })
    return undefined
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return error.message
  }
}
