import { existsSync } from "node:fs"
import { join } from "node:path"
import { writeEntry } from "../formats/entry-writer.ts"
import { agentKey } from "../formats/text.ts"
import type { Decision } from "../memories/learned-store.ts"
import type { Evidence, Memory } from "../memories/memory.ts"
import { type GraduateCandidate, type Graduates, proposeGraduates } from "../memories/review/graduates.ts"
import { applyChange, withStore } from "../team/change.ts"
import { type ChangePlan, startPlan } from "../team/change-plan.ts"
import { type FileProposal, type FileProposalOutcome, proposeFiles } from "../team/inbox/file-proposals.ts"
import { mergeInbox } from "../team/merge/inbox-merge.ts"
import { writeAudit } from "../team/merge/merged-records.ts"
import { findStore, type StoreFolder, type TeamStore } from "../team/team-folder.ts"
import { isCopy, type LearningParts, type LearningProject } from "./learning-parts.ts"

/** Proven memories that were proposed to the team. */
export type LearnedGraduation = Omit<Graduated, "decisions">

export function nothingGraduated(): LearnedGraduation {
  return { proposed: [], skills: [], refused: [] }
}

/**
 * Proposes proven memories to the team, once: writes to the inbox first, then marks them, so that a kill in between
 * repeats nothing.
 */
export async function graduate(parts: LearningParts, project: LearningProject): Promise<LearnedGraduation> {
  const active = await parts.store.memories({ project: project.id, statuses: ["active"] })
  const { decisions, ...graduation } = await propose(parts, project, active)
  await mark(parts, project, active, decisions)
  return graduation
}

/** What would be proposed if these decisions were applied; writes nothing. */
export async function planGraduation(
  parts: LearningParts,
  project: LearningProject,
  pending: readonly Decision[],
): Promise<LearnedGraduation> {
  const byId = new Map(pending.map((decision) => [decision.memory, decision]))
  const live = await parts.store.memories({ project: project.id, statuses: ["provisional", "active"] })
  const decided = live.map((memory) => ({ ...memory, ...stateAfter(byId.get(memory.id)) }))
  const { decisions: _, ...graduation } = await propose(parts, project, decided, { dryRun: true })
  return graduation
}

function stateAfter(decision: Decision | undefined): Partial<Memory> {
  if (!decision) return {}
  const { status, tier, expires, flags } = decision
  return { status, tier, expires, flags }
}

async function propose(
  parts: LearningParts,
  project: LearningProject,
  memories: readonly Memory[],
  options: { dryRun?: boolean } = {},
): Promise<Graduated> {
  const { store, policyOf, now } = parts
  const candidates: GraduateCandidate[] = []
  const team = findStore(project.root, parts.home)
  for (const memory of memories.filter((each) => !isCopy(parts, each))) {
    const { evidence } = await store.history(memory.id)
    candidates.push({ memory, evidence, member: memberBehind(evidence, team) })
  }
  const graduates = proposeGraduates(candidates, policyOf(project.root), now())
  return writeGraduates(team, graduates, now(), options)
}

/** The member of the team in whose work as a sub-agent all of it was seen. */
function memberBehind([first, ...others]: readonly Evidence[], { folders: [folder] }: TeamStore): string | undefined {
  const name = agentKey(first?.agent)
  if (name === undefined || others.some(({ agent }) => agentKey(agent) !== name)) return undefined
  return folder && existsSync(join(folder.path, "agents", name)) ? name : undefined
}

/** With the time at which each was promoted, independent of the time of the call. */
async function mark(
  { store, now }: LearningParts,
  project: LearningProject,
  memories: readonly Memory[],
  decisions: readonly Decision[],
): Promise<void> {
  const times = new Map(memories.map(({ id, updated }) => [id, updated]))
  for (const decision of decisions) {
    const time = times.get(decision.memory) ?? now().toISOString()
    await store.applyDecisions(project.id, [decision], time, { isEvaluation: false })
  }
}

type Graduated = {
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
  store: TeamStore,
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
  store: TeamStore,
  folder: StoreFolder,
  proposals: readonly Proposal[],
  now: Date,
): { work: ChangePlan; graduated: Graduated } {
  const work = startPlan(store, folder, now)
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
