import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError } from "../errors.ts"
import type { OriginFile } from "./list-origins.ts"
import { type Notes, readNotes } from "./read-notes.ts"

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
