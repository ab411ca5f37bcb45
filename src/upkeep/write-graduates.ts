import { writeEntry } from "../formats/write-entry.ts"
import { applyChange, withStore } from "../squad/change.ts"
import type { Store, StoreFolder } from "../squad/find-store.ts"
import { writeAudit } from "../squad/merge/audit-merge.ts"
import { mergeInbox } from "../squad/merge/merge-inbox.ts"
import { type FileProposal, type FileProposalOutcome, proposeFiles } from "../squad/propose-files.ts"
import { startWork, type Work } from "../squad/tidy/work.ts"
import type { Decision } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import type { Graduates } from "./graduate.ts"

export type Graduated = {
  /** Paths are relative to the repository. */
  proposed: { memory: string; path: string; isAccepted: boolean }[]
  skills: { memory: string; path: string; isAccepted: boolean }[]
  /** What the governance check refused, by its rule. */
  refused: { memory: string; reason: string }[]
  /** For the learned store, so that nothing graduates twice. */
  decisions: Decision[]
}

/**
 * Writes graduates to the team folder after the governance check, as one undoable change: entries to the decisions
 * inbox, skills to an inbox of their own, from which the user accepts them. Existing ones are not written again. Does
 * nothing without a team folder. `dryRun` writes nothing.
 */
export async function writeGraduates(
  store: Store,
  graduates: Graduates,
  now: Date,
  { dryRun = false } = {},
): Promise<Graduated> {
  const [folder] = store.folders
  const proposals = proposalsOf(graduates)
  if (!folder || proposals.length === 0) return { proposed: [], skills: [], refused: [], decisions: [] }
  const write = () => {
    const { work, graduated } = planGraduates(store, folder, proposals, now)
    if (!dryRun) {
      applyChange(folder, "graduate", work.draft.changes(), now, { moves: work.draft.moves() })
      writeAudit(folder, work.audit)
    }
    return graduated
  }
  return dryRun ? write() : withStore(folder, write)
}

/** The team folder including the graduates; nothing is written. */
function planGraduates(
  store: Store,
  folder: StoreFolder,
  proposals: readonly Proposal[],
  now: Date,
): { work: Work; graduated: Graduated } {
  const work = startWork(store, folder, now)
  const outcomes = proposeFiles(work, proposals).map((outcome, at) => ({
    proposal: proposals[at] as Proposal,
    outcome,
  }))
  const accepted = outcomes.filter(({ proposal, outcome }) => isForMerge(proposal) && outcome.kind === "proposed")
  const { left } = mergeInbox(work, { only: accepted.map(({ proposal }) => proposal.path), acceptReview: true })
  return { work, graduated: report(folder, outcomes, new Set(left.map(({ path }) => path))) }
}

type Proposal = FileProposal & { memory: Memory; result: "graduate" | "skill"; isAccepted: boolean }

/** An accepted entry also passes through the inbox; a skill is already in place. */
function isForMerge({ result, isAccepted }: Proposal): boolean {
  return isAccepted && result === "graduate"
}

function proposalsOf({ entries, skills }: Graduates): Proposal[] {
  return [
    ...entries.map(({ memory, entry, isAccepted }) => {
      const id = entry.id ?? memory.id
      const place = { id, path: `decisions/inbox/${id}.md`, text: writeEntry(entry) }
      return { ...place, ...noteOf(memory), memory, result: "graduate" as const, isAccepted }
    }),
    ...skills.map(({ memory, name, text, isAccepted }) => {
      const path = isAccepted ? `skills/${name}/SKILL.md` : `skills/inbox/${name}/SKILL.md`
      return { id: name, path, text, ...noteOf(memory), memory, result: "skill" as const, isAccepted }
    }),
  ]
}

function noteOf({ text }: Memory): Pick<FileProposal, "words" | "title" | "actor" | "reason"> {
  const reason = "Proposed to the team after it proved itself in use"
  return { words: text, title: "Learned memory", actor: "drey", reason }
}

function report(
  folder: StoreFolder,
  outcomes: readonly { proposal: Proposal; outcome: FileProposalOutcome }[],
  left: ReadonlySet<string>,
): Graduated {
  const graduated: Graduated = { proposed: [], skills: [], refused: [], decisions: [] }
  for (const { proposal, outcome } of outcomes) {
    const { memory, result, isAccepted } = proposal
    if (outcome.kind === "refused") {
      const reason = `the governance check does not allow sharing it: ${outcome.reason}`
      graduated.refused.push({ memory: memory.id, reason: outcome.reason })
      graduated.decisions.push(decide(memory, "flag", "withheld", reason))
      continue
    }
    const isMerged = isForMerge(proposal) && !left.has(proposal.path)
    const path = `${folder.name}/${isMerged ? "decisions.md" : proposal.path}`
    const place = { memory: memory.id, path, isAccepted: result === "skill" ? isAccepted : isMerged }
    if (outcome.kind === "proposed") graduated[result === "skill" ? "skills" : "proposed"].push(place)
    const flag = result === "skill" ? "skill" : "graduated"
    graduated.decisions.push(decide(memory, result, flag, `proposed to the team in ${path}`))
  }
  return graduated
}

function decide(
  { id, version, status, tier, expires, flags }: Memory,
  result: Decision["result"],
  flag: string,
  reason: string,
): Decision {
  return { memory: id, version, result, status, tier, expires, flags: [...new Set([...flags, flag])], reason }
}
