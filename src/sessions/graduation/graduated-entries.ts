import { DreyError } from "../../errors.ts"
import type { Entry } from "../../formats/entry.ts"
import { writeEntry } from "../../formats/entry-writer.ts"
import { applyChange, withStore } from "../../team/change.ts"
import { startPlan } from "../../team/change-plan.ts"
import { writeAgentMemory } from "../../team/governed/agent-history.ts"
import { auditTitle, type GovernedContext } from "../../team/governed/governed-context.ts"
import { proposeFiles } from "../../team/inbox/file-proposals.ts"
import { writeAudit } from "../../team/merge/merged-records.ts"
import { readStore } from "../../team/team-entries.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import { isRuleEntry, reviewOfAgentRule, statesRule } from "../../team/team-rules.ts"
import type { LessonGraduate } from "./graduate.ts"
import type { Landing } from "./session-graduation.ts"

/** Adds the decisions of a session to the inbox after the governance check, as one change that `undo` can revert. */
export async function proposeDecisions(
  store: TeamStore,
  decisions: readonly { entry: Entry }[],
  now: Date,
): Promise<Landing[]> {
  const [folder] = store.folders
  if (!folder) return decisions.map(() => ({ kind: "refused", reason: "there is no team folder" }))
  return withStore(folder, () => {
    const work = startPlan(store, folder, now)
    const proposals = decisions.map(({ entry }) => toProposal(entry))
    const outcomes = proposeFiles(work, proposals)
    applyChange(folder, "session graduate", work.draft.changes(), now)
    writeAudit(folder, work.audit)
    return outcomes.map((outcome, at): Landing => {
      const { id = "", path = "" } = proposals[at] ?? {}
      if (outcome.kind === "refused") return outcome
      const isNew = outcome.kind === "proposed"
      return { kind: "landed", to: id, isNew, ...(isNew ? { path: `${folder.name}/${path}` } : {}) }
    })
  })
}

/** Agents made these decisions, so one worded as a rule needs review by the user. */
function toProposal(decided: Entry) {
  const isRule = isRuleEntry(decided) || statesRule(decided.title)
  const entry = isRule && decided.review === undefined ? { ...decided, review: reviewOfAgentRule } : decided
  if (entry.id === undefined) throw new Error("a decision to propose has no id")
  return {
    id: entry.id,
    path: `decisions/inbox/${entry.id}.md`,
    text: writeEntry(entry),
    words: entry.title,
    title: "Decision of a session",
    actor: auditTitle(entry.author, "unknown"),
    reason: "Proposed to the team by a session",
  }
}

type NotedLesson = Pick<LessonGraduate, "agent" | "entryId" | "text" | "details">

/** Adds the lessons of a session to the agents' histories after the governance check; existing ones are skipped. */
export async function noteLessons(context: GovernedContext, lessons: readonly NotedLesson[]): Promise<Landing[]> {
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

async function note(context: GovernedContext, { agent, entryId, text, details }: NotedLesson): Promise<Landing> {
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
