import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { agentScope } from "../../formats/entry.ts"
import { pathsIn } from "../../formats/file-paths.ts"
import type { AgentMemory, Attempt, Discovery, SessionDecision } from "../../formats/session/agent-memory.ts"
import { readAgentMemory } from "../../formats/session/agent-memory-file.ts"
import type { SessionProblem } from "../../formats/session/session-problem.ts"
import type { YamlPath } from "../../formats/session/yaml-tree.ts"
import { agentKey, firstInformativeLine } from "../../formats/text.ts"
import { instantOfMoment } from "../../formats/timestamp.ts"
import type { Item } from "../../index/index-store.ts"
import { type SessionPayload, writePayload } from "../payload.ts"
import type { OriginFile } from "./origins.ts"

/** An agent's discoveries, attempts and decisions in a session, as index items. */
export function readSessionItems(text: string, file: NotesFile): Item[] {
  const { memory, lineOf } = readNotes(text, file)
  const notes = [
    ...memory.discoveries.map((entry, at) => ({
      ...noteOfDiscovery(entry),
      isObserved: isObserved(entry),
      place: ["discoveries", at],
    })),
    ...memory.attempts.map((entry, at) => ({
      ...noteOfAttempt(entry),
      isObserved: isObserved(entry),
      place: ["attempts", at],
    })),
    ...memory.decisions.map((entry, at) => ({
      ...noteOfDecision(entry),
      isObserved: isObserved(entry),
      place: ["decisions", at],
    })),
  ]
  const ids = idsOf(notes, file)
  return notes.map((note, at) => {
    const body = [note.title === note.body.trim() ? "" : note.body.trim(), ...note.details].filter(Boolean).join("\n\n")
    return {
      id: ids[at] as string,
      source: "session",
      type: note.type,
      class: "LOCAL",
      load: "ON-DEMAND",
      title: note.title,
      text: body,
      tags: note.tags,
      author: memory.agent,
      contributors: [],
      agent: agentKey(memory.agent),
      scope: agentScope(memory.agent),
      pathPrefix: undefined,
      path: file.key,
      line: lineOf(note.place),
      at: instantOfMoment(note.moment),
      expires: undefined,
      governed: false,
      supersedes: [],
      supersededBy: [],
      places: { files: pathsIn(`${note.title}\n${body}`), session: file.session },
      payload: writePayload(payloadOf(file, note), body),
    }
  })
}

function isObserved({ source }: { source?: unknown }): boolean {
  return source !== undefined
}

/** The common fields of the three kinds of notes; `details` are paragraphs. */
type Note = {
  id: string
  type: "discovery" | "attempt" | "decision"
  moment: string
  title: string
  body: string
  details: string[]
  tags: string[]
  result?: Attempt["result"]
  isObserved?: boolean
}

function noteOfDiscovery(entry: Discovery): Note {
  return {
    id: entry.id,
    type: "discovery",
    moment: entry.timestamp,
    title: titleOf(entry.summary, entry.content),
    body: entry.content,
    details: [list("To do", entry.actionItems), list("Files", entry.relatedFiles)],
    tags: [entry.type, entry.importance],
  }
}

function noteOfAttempt(entry: Attempt): Note {
  return {
    id: entry.id,
    type: "attempt",
    moment: entry.updatedAt ?? entry.timestamp,
    title: titleOf(entry.summary, entry.description),
    body: entry.description,
    details: [
      told("Approach", entry.approach),
      told("Error", entry.error),
      told("Lessons", entry.lessons),
      told("Output", entry.output),
      told("Issue", entry.currentIssue),
      told("Next step", entry.nextStep),
      told("Next attempt", entry.nextAttempt),
      list("Commands", entry.commands),
      list(
        "Parts",
        entry.subTasks.map(({ description, status }) => `${description} (${status})`),
      ),
      list(
        "Files",
        entry.artifacts.map(({ path }) => path),
      ),
    ],
    tags: [entry.result],
    result: entry.result,
  }
}

function noteOfDecision(entry: SessionDecision): Note {
  return {
    id: entry.id,
    type: "decision",
    moment: entry.timestamp,
    title: titleOf(undefined, entry.description),
    body: entry.description,
    details: [
      told("Reasoning", entry.reasoning),
      list(
        "Alternatives",
        entry.alternatives.map(({ name, reason }) => (reason === "" ? name : `${name} (${reason})`)),
      ),
      list("Rests on", [...entry.relatedDiscoveries, ...entry.relatedAttempts]),
    ],
    tags: [entry.type, ...(entry.impact === undefined ? [] : [`${entry.impact}-impact`])],
  }
}

function titleOf(summary: string | undefined, text: string): string {
  return firstInformativeLine(summary ?? "") || firstInformativeLine(text) || "no words"
}

function told(label: string, text: string | null | undefined): string {
  const words = text?.trim() ?? ""
  return words === "" ? "" : `${label}: ${words}`
}

function list(label: string, items: readonly string[]): string {
  return told(label, items.join("; "))
}

function payloadOf({ session }: NotesFile, { result, isObserved }: Note): SessionPayload {
  return {
    kind: "session",
    session,
    ...(result === undefined ? {} : { result }),
    ...(isObserved ? { isObserved: true } : {}),
  }
}

/**
 * `s:<session>/attempt-001` for the session's first agent, `s:<session>/<agent>/attempt-001` for the others, like their
 * file names. An id used in two lists gets its kind as a suffix.
 */
function idsOf(notes: readonly Note[], { key, session }: NotesFile): string[] {
  const [, agent] = /\/agent-memory(?:-archive)?\.([^./]+)\.yaml$/.exec(key) ?? []
  const start = `s:${session}/${agent === undefined ? "" : `${agent}/`}`
  const times = new Map<string, number>()
  for (const { id } of notes) times.set(id, (times.get(id) ?? 0) + 1)
  return notes.map(({ id, type }) => `${start}${plainId(id)}${times.get(id) === 1 ? "" : `@${type}`}`)
}

/** An id in a file may be any text; this one can be typed in any shell. */
function plainId(id: string): string {
  return id.replace(/[^\p{L}\p{N}._-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  )
}

/** A file with one agent's session notes; `key` is its path as shown. */
type NotesFile = { key: string; session: string; archived: boolean }

type Notes = { memory: AgentMemory; lineOf(path: YamlPath): number }

/** Reads an agent's session notes. Invalid notes throw an error with its location, as in `drey session validate`. */
function readNotes(text: string, { key, session, archived }: NotesFile): Notes {
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

/** Something that a session left unfinished. */
export type OpenEnd = {
  kind: "attempt" | "blocker" | "question" | "next step"
  text: string
  session: string
  agent: string
  path: string
  line: number
}

/** What the agents of these sessions left open, by file: unfinished attempts, blockers, questions, next steps. */
export function readOpenEnds(files: readonly OriginFile[], sessions: ReadonlySet<string>): OpenEnd[] {
  return files.flatMap((file) => {
    if (file.kind !== "session" || file.archived || !sessions.has(file.session)) return [] // open items are never archived
    const notes = readIfPossible(file)
    if (!notes) return []
    const { agent } = notes.memory
    return openEndsIn(notes).map((end) => ({ ...end, session: file.session, agent, path: file.key }))
  })
}

function readIfPossible(file: OriginFile & { kind: "session" }): Notes | undefined {
  try {
    return readNotes(readTextFile(file.absolute, { name: file.key }).text, file)
  } catch (error) {
    if (error instanceof DreyError) return undefined // reported with the other unreadable files
    throw error
  }
}

const contextLists = [
  { kind: "blocker", list: "blockers" },
  { kind: "question", list: "openQuestions" },
  { kind: "next step", list: "nextSteps" },
] as const

function openEndsIn({ memory, lineOf }: Notes): Pick<OpenEnd, "kind" | "text" | "line">[] {
  const attempts = memory.attempts.flatMap(({ result, description, currentIssue, nextStep }, at) => {
    if (result !== "in_progress" && result !== "partial") return []
    const text = [description, currentIssue, nextStep && `next: ${nextStep}`].filter(Boolean).join("; ")
    return [{ kind: "attempt" as const, text, line: lineOf(["attempts", at]) }]
  })
  const listed = contextLists.flatMap(({ kind, list }) =>
    (memory.context?.[list] ?? []).map((text, at) => ({ kind, text, line: lineOf(["context", list, at]) })),
  )
  return [...attempts, ...listed]
}
