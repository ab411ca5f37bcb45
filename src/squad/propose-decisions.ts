import type { Entry } from "../formats/entry.ts"
import { writeEntry } from "../formats/write-entry.ts"
import type { Landing } from "../sessions/graduate-session.ts"
import { reviewOfAgentRule, statesRule } from "./agent-rules.ts"
import { applyChange, withStore } from "./change.ts"
import type { Store } from "./find-store.ts"
import { isRuleEntry } from "./load-guidance.ts"
import { auditTitle } from "./memory/memory-context.ts"
import { writeAudit } from "./merge/audit-merge.ts"
import { proposeFiles } from "./propose-files.ts"
import { startWork } from "./tidy/work.ts"

/** Adds the decisions of a session to the inbox after the governance check, as one change that `undo` can revert. */
export async function proposeDecisions(
  store: Store,
  decisions: readonly { entry: Entry }[],
  now: Date,
): Promise<Landing[]> {
  const [folder] = store.folders
  if (!folder) return decisions.map(() => ({ kind: "refused", reason: "there is no team folder" }))
  return withStore(folder, () => {
    const work = startWork(store, folder, now)
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
