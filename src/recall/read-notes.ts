import { DreyError } from "../errors.ts"
import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { readAgentMemory } from "../formats/session/read-agent-memory.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import type { YamlPath } from "../formats/session/yaml-document.ts"

/** A file with one agent's session notes; `key` is its path as shown. */
export type NotesFile = { key: string; session: string; archived: boolean }

export type Notes = { memory: AgentMemory; lineOf(path: YamlPath): number }

/** Reads an agent's session notes. Invalid notes throw an error with its location, as in `drey session validate`. */
export function readNotes(text: string, { key, session, archived }: NotesFile): Notes {
  const reading = readAgentMemory(text, { sessionId: session, archive: archived })
  if (reading.kind === "read")
    return { memory: reading.memory, lineOf: (path) => reading.document.positionOf(path).line }
  throw new DreyError(`${key}${tellProblem(reading.problems)}`, {
    hint: "Run `drey session validate` for details.",
  })
}

function tellProblem(problems: readonly SessionProblem[]): string {
  const problem = problems.find(({ severity }) => severity === "error")
  if (!problem) return " cannot be read"
  const { line, column, path, message } = problem
  return `:${line}:${column} cannot be read: ${path === "" ? message : `${path}: ${message}`}`
}
