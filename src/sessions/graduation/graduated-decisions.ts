import { sha256 } from "../../disk/hash.ts"
import { lengthOf, titleLimit } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/entry-writer.ts"
import { cutAtWord } from "../../formats/legacy/summary.ts"
import type { Attempt, SessionDecision } from "../../formats/session/agent-memory.ts"
import { toOneLine } from "../../formats/text.ts"
import { instantOfMoment, timestampFromDate } from "../../formats/timestamp.ts"
import {
  type AgentMemories,
  type DecisionGraduate,
  isIncomplete,
  type LessonGraduate,
  nameOf,
  type Source,
  statementsOf,
} from "./graduate.ts"

/** Decisions of consequence, as entries that the team can accept. */
export function graduateDecisions(memories: AgentMemories, session: string): DecisionGraduate[] {
  return [...memories].flatMap(([agent, { decisions, createdAt }]) =>
    decisions.filter(isForTeam).map((decision) => toGraduate(agent, decision, { session, createdAt })),
  )
}

function isForTeam({ type, impact, description }: SessionDecision): boolean {
  const isLarge = (type === "architectural" || type === "compromise") && impact === "high"
  return isLarge && description.trim() !== "" && !isIncomplete(description)
}

function toGraduate(
  agent: string,
  decision: SessionDecision,
  { session, createdAt }: { session: string; createdAt: string },
): DecisionGraduate {
  const source = { agent, id: decision.id }
  const { type, reasoning, timestamp } = decision
  const title = toOneLine(decision.description)
  const made = instantOfMoment(timestamp) ?? instantOfMoment(createdAt) ?? 0
  const entry = normalizeEntry({
    type: "decision",
    id: entryIdOf(session, source),
    timestamp: timestampFromDate(new Date(made)),
    author: agent,
    title: cutAtWord(title),
    scope: "team",
    tags: ["session", type],
    details: detailsOf(decision, title),
    ...(reasoning === undefined ? {} : { rationale: reasoning }),
    extensions: [{ name: "session", value: `${session} ${nameOf(source)}` }],
  })
  return { target: "inbox", id: nameOf(source), why: `${type}, impact high`, sources: [source], inAuto: false, entry }
}

/** What the title omits, and the rejected alternatives. */
function detailsOf({ alternatives, reversible }: SessionDecision, title: string): string {
  return [
    ...(lengthOf(title) > titleLimit ? [title] : []),
    ...(alternatives.length > 0 ? [`Rejected alternatives:\n\n${alternatives.map(tellAlternative).join("\n")}`] : []),
    ...(reversible === false ? ["This is hard to reverse."] : []),
  ].join("\n\n")
}

function tellAlternative({ name, reason }: SessionDecision["alternatives"][number]): string {
  const why = toOneLine(reason).replace(/^(?:not chosen|rejected)\s{0,3}[-–—:,]\s{0,3}/i, "")
  return why === "" ? `- ${toOneLine(name)}` : `- ${toOneLine(name)}: ${why}`
}

/** The same entry of the same session has the same id, so that nothing is put before the team twice. */
function entryIdOf(session: string, source: Source): string {
  return `session-${sha256(`${session}\n${nameOf(source)}`).slice(0, 12)}`
}

/** What agents learned from attempts that are over, for themselves. */
export function graduateLessons(memories: AgentMemories, session: string): LessonGraduate[] {
  return [...memories].flatMap(([agent, { attempts }]) =>
    attempts.flatMap((attempt) => toGraduateLessons(agent, attempt, session) ?? []),
  )
}

function toGraduateLessons(agent: string, attempt: Attempt, session: string): LessonGraduate | undefined {
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
