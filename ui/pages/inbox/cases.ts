import type { BrokenFileRow, Inbox, NearDuplicateRow, ProposalDetail } from "../../../src/recall/browse/app-api.ts"

/** One thing to review; `id` identifies it in the URL. */
export type Case = { id: string } & (
  | { kind: "proposal"; proposal: ProposalDetail }
  | { kind: "pair"; pair: NearDuplicateRow }
  | { kind: "broken"; file: BrokenFileRow }
)

/** What waits, in the order in which it is gone through. */
export function casesOf({ proposals, nearDuplicates, broken }: Inbox): Case[] {
  return [
    ...proposals.map((proposal): Case => ({ kind: "proposal", id: proposal.key, proposal })),
    ...nearDuplicates.map((pair): Case => ({ kind: "pair", id: `${pair.one.id}~${pair.other.id}`, pair })),
    ...broken.map((file): Case => ({ kind: "broken", id: `broken:${file.path}`, file })),
  ]
}

/** The case to look at once this one is done with. */
export function caseAfter(cases: readonly Case[], id: string): string | null {
  const at = cases.findIndex((each) => each.id === id)
  return (cases[at + 1] ?? cases[at - 1])?.id ?? null
}

/** Who proposes something. */
export const origins: Record<ProposalDetail["from"], string> = {
  agent: "from an agent",
  learned: "a proven memory",
  import: "imported",
  person: "from a person",
}
