import type { Attempt } from "../../formats/session/agent-memory.ts"
import { type AgentMemories, type LessonGraduate, nameOf } from "./graduate.ts"
import { entryIdOf } from "./graduate-decisions.ts"
import { statementsOf } from "./statements-of.ts"

/** What agents learned from attempts that are over, for themselves. */
export function graduateLessons(memories: AgentMemories, session: string): LessonGraduate[] {
  return [...memories].flatMap(([agent, { attempts }]) =>
    attempts.flatMap((attempt) => toGraduate(agent, attempt, session) ?? []),
  )
}

function toGraduate(agent: string, attempt: Attempt, session: string): LessonGraduate | undefined {
  const statements = attempt.result === "in_progress" ? [] : statementsOf(attempt.lessons ?? "")
  if (statements.length === 0) return undefined
  const source = { agent, id: attempt.id }
  const [task] = statementsOf(attempt.description)
  return {
    target: "history",
    id: nameOf(source),
    why: `a lesson of ${agent}, from an attempt that ended in ${attempt.result}`,
    sources: [source],
    inAuto: false,
    agent,
    entryId: entryIdOf(session, source),
    text: statements.join(" "),
    details: task === undefined ? "" : `Learned from this attempt (${attempt.result}): ${task}`,
  }
}
