import { DreyError } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { readAgentMemory } from "../formats/session/read-agent-memory.ts"
import { readSiblingFile, type SiblingData } from "../formats/session/read-sibling-file.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import type { YamlDocument } from "../formats/session/yaml-document.ts"
import { type Migrations, migrateText } from "./migrate-file.ts"

/** The data of a session file, by its kind. */
type SessionData = SiblingData & { memory: AgentMemory }
export type SessionFileKind = keyof SessionData

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
export class InvalidSessionFile extends DreyError {
  /** What is wrong, without the location. */
  readonly problem: string

  constructor(message: string, problem: string) {
    super(message, { hint: "The file was not changed. Fix this line, or move the file away." })
    this.problem = problem
  }
}

/** Parses a file's text; a problem throws a `DreyError` with its location. */
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
