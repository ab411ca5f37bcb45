import { DreyError } from "../errors.ts"
import type { Landing } from "../sessions/graduate-session.ts"
import type { LessonGraduate } from "../sessions/graduation/graduate.ts"
import { writeAgentMemory } from "./memory/agent-memory.ts"
import type { MemoryContext } from "./memory/memory-context.ts"
import { readStore } from "./read-store.ts"

type Lesson = Pick<LessonGraduate, "agent" | "entryId" | "text" | "details">

/** Adds the lessons of a session to the agents' histories after the governance check; existing ones are skipped. */
export async function noteLessons(context: MemoryContext, lessons: readonly Lesson[]): Promise<Landing[]> {
  if (context.store.folders.length === 0)
    return lessons.map(() => ({ kind: "refused", reason: "there is no team folder" }))
  const present = new Set(readStore(context.store, context.now()).entries.map(({ id }) => id))
  const landings: Landing[] = []
  for (const lesson of lessons) {
    const isKnown = present.has(lesson.entryId)
    landings.push(isKnown ? { kind: "landed", to: lesson.entryId, isNew: false } : await note(context, lesson))
  }
  return landings
}

async function note(context: MemoryContext, { agent, entryId, text, details }: Lesson): Promise<Landing> {
  const request = { content: text, tags: ["session", "lesson"], ...(details === "" ? {} : { details }) }
  try {
    const result = await writeAgentMemory({ ...context, makeId: () => entryId }, agent, request)
    if (result.stored) return { kind: "landed", to: entryId, path: result.path, isNew: true }
    return { kind: "refused", reason: result.classification.reason }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { kind: "refused", reason: error.message } // the name of a session's agent may not be a valid folder name
  }
}
