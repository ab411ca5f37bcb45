import { posix } from "node:path"
import { isTransient } from "../../governance/classify.ts"
import { type Cleared, clearText, type PersonalDataPolicy } from "../../governance/cleared.ts"
import type { ChangePlan } from "../change-plan.ts"
import { readMemoryConfig } from "../governed/governed-context.ts"
import { readStore } from "../team-entries.ts"

/** A proposed entry or skill with its path below the team folder and the fields of its audit line. */
export type FileProposal = {
  id: string
  path: string
  text: string
  /** Its text without metadata. */
  words: string
  /** The title in the audit line, which must not contain the content. */
  title: string
  actor: string
  reason: string
}

export type FileProposalOutcome = { kind: "proposed" } | { kind: "known" } | { kind: "refused"; reason: string }

/** Plans proposal files after the governance check. Entries that already exist anywhere, or were rejected, are skipped. */
export function proposeFiles(work: ChangePlan, proposals: readonly FileProposal[]): FileProposalOutcome[] {
  const { personalData } = readMemoryConfig(work.draft.folder).config
  const present = new Set(readStore(work.store, work.now).entries.map(({ id }) => id))
  return proposals.map((proposal) => {
    const places = [proposal.path, refusedPath(proposal.path)]
    const isKnown = present.has(proposal.id) || places.some((path) => work.draft.text(path) !== null)
    return isKnown ? { kind: "known" } : propose(work, proposal, personalData)
  })
}

function propose(work: ChangePlan, proposal: FileProposal, personalData: PersonalDataPolicy): FileProposalOutcome {
  const { id, path, title, actor, reason } = proposal
  const cleared = clearProposal(proposal, personalData)
  const record = { timestamp: work.now.toISOString(), class: "LOCAL", actor, provider: "local" }
  if (cleared.kind === "refused") {
    work.audit.push({ ...record, action: "reject", title, reason: cleared.reason })
    return cleared
  }
  work.draft.put(path, cleared.text)
  work.audit.push({ ...record, action: "write", id, title, path: `${work.draft.folder.name}/${path}`, reason })
  return { kind: "proposed" }
}

/** The path is partly derived from the text, so it is checked too. */
function clearProposal(
  { words, path, text }: FileProposal,
  personalData: PersonalDataPolicy,
): { kind: "cleared"; text: Cleared } | { kind: "refused"; reason: string } {
  if (isTransient(words)) return { kind: "refused", reason: "transient CI/PR status" }
  const clearedPath = clearText(path, personalData)
  return clearedPath.kind === "refused" ? clearedPath : clearText(text, personalData)
}

/** Where a rejected inbox file is kept: in a dot folder, which is never read as entries. */
export function refusedPath(path: string): string {
  return posix.join(posix.dirname(path), ".refused", posix.basename(path))
}
