import { DreyError } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { readAgentMemory } from "../formats/session/read-agent-memory.ts"
import { readSiblingFile, type SiblingData } from "../formats/session/read-sibling-file.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import type { YamlDocument } from "../formats/session/yaml-document.ts"
import { type Migrations, migrateText } from "./migrate-file.ts"

/** What a file of a session holds, by its kind. */
type SessionData = SiblingData & { memory: AgentMemory }
export type SessionFileKind = keyof SessionData

/** A file as it was read. */
export type StoredFile<Kind extends SessionFileKind> = {
  path: string
  /** As it stands on the disk. */
  text: string
  /** Of the text, or of what it becomes when it is brought up to this version. */
  document: YamlDocument
  data: SessionData[Kind]
  /** Warnings only: a file with errors is not read. */
  problems: SessionProblem[]
  writable: boolean
  /** The version that it has on the disk, where that is an older one. */
  migratedFrom: string | undefined
  bytes: number
}

/** A file that is no YAML, or not what a session's file has to be; unlike one of a newer version, or one that may not be read. */
export class InvalidSessionFile extends DreyError {
  /** What is wrong, without the place. */
  readonly problem: string

  constructor(message: string, problem: string) {
    super(message, { hint: "The file was not changed. Fix this line, or move the file away." })
    this.problem = problem
  }
}

/** Reads a file's text; what is wrong with it is a `DreyError` with its place, and the file stays as it is. */
export function parseSessionFile<Kind extends SessionFileKind>(
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
  // In a file of another version all else may be as it should be there.
  const first = (kind === "unsupported" && errors.find((error) => error.path === "version")) || errors[0]
  if (!first) throw new Error(`${path} cannot be read, and nothing says why`)
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more; drey session validate lists them)` : ""
  const message = `${path}:${first.line}:${first.column} ${describeProblem(first)}${others}`
  return kind === "invalid" ? new InvalidSessionFile(message, describeProblem(first)) : new DreyError(message)
}

export function describeProblem({ path, message }: SessionProblem): string {
  return path === "" ? message : `${path}: ${message}`
}
