import type { ProposalDetail } from "../../../src/recall/browse/app-api.ts"
import { inboxPath } from "../../api/paths.ts"
import { useChange } from "../../api/use-change.ts"

export type CaseWay = {
  /** The case is done with: the next one is shown. */
  onDone: () => void
  /** It waits again. */
  onUndone: () => void
  /** Where it is shown. */
  href: string
}

/** Decides on a proposal, then moves on to the next. */
export function useProposalChange<Body extends object>(
  { key }: ProposalDetail,
  change: "accept" | "merge" | "refuse",
  { onDone, onUndone }: CaseWay,
) {
  return useChange<Body>(inboxPath(key, change), { onDone, onUndone })
}

export type ProposalChange<Body extends object> = ReturnType<typeof useProposalChange<Body>>
