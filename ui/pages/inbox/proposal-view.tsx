import { useState } from "react"
import type {
  AcceptProposalRequest,
  MergeProposalRequest,
  ProposalDetail,
  RefuseProposalRequest,
} from "../../../src/recall/browse/app-api.ts"
import { Markdown } from "../../parts/markdown.tsx"
import { useKeys } from "../../parts/use-keys.ts"
import { Diagnostics } from "../detail/diagnostics.tsx"
import { beginDraft, useItemDraft } from "../detail/drafts.ts"
import { AgainstList } from "./against-list.tsx"
import { FileDiff } from "./file-diff.tsx"
import { Hints, isError } from "./hints.tsx"
import { MergeDialog } from "./merge-dialog.tsx"
import { ProposalActions } from "./proposal-actions.tsx"
import { ProposalEditor } from "./proposal-editor.tsx"
import { ProposalHead } from "./proposal-head.tsx"
import { RefuseDialog } from "./refuse-dialog.tsx"
import { type CaseWay, useProposalChange } from "./use-proposal-change.ts"

/** A proposal beside what it would change, and what may become of it. */
export function ProposalView({ proposal, way }: { proposal: ProposalDetail; way: CaseWay }) {
  const [draft, setDraft] = useItemDraft(proposal.key)
  const [dialog, setDialog] = useState<"merge" | "refuse" | null>(null)
  const onAccepted = () => {
    setDraft(null)
    way.onDone()
  }
  const accept = useProposalChange<AcceptProposalRequest>(proposal, "accept", { ...way, onDone: onAccepted })
  const merge = useProposalChange<MergeProposalRequest>(proposal, "merge", way)
  const refuse = useProposalChange<RefuseProposalRequest>(proposal, "refuse", way)
  const isPending = accept.isPending || merge.isPending || refuse.isPending
  const actions = {
    accept: () => accept.mutate({ version: proposal.version }),
    edit: () => setDraft(beginDraft("edit", proposal)),
    merge: () => setDialog("merge"),
    // An import brings many at once, and nobody wrote them here who would want to know why.
    refuse: () =>
      proposal.from === "import"
        ? refuse.mutate({ version: proposal.version, reason: "imported, and not wanted" })
        : setDialog("refuse"),
  }
  const mayAct = draft === null && !isPending
  const keys = { a: actions.accept, e: actions.edit, m: actions.merge, r: actions.refuse }
  useKeys(mayAct ? keys : {}, { whenHeld: false }) // the next proposal is shown at once
  return (
    <article className="proposal">
      <ProposalHead proposal={proposal} />
      {draft ? (
        <ProposalEditor proposal={proposal} draft={draft} onDraft={setDraft} accept={accept} />
      ) : (
        <>
          <ProposalActions actions={actions} isPending={isPending} />
          <Diagnostics diagnostics={proposal.diagnostics.filter(isError)} />
          {proposal.against.length > 0 ? (
            <AgainstList proposal={proposal} />
          ) : (
            <>
              <Markdown text={proposal.markdown} />
              <p className="proposal-alone">No active entry is similar.</p>
            </>
          )}
          <Hints diagnostics={proposal.diagnostics.filter((each) => !isError(each))} />
          <FileDiff diff={proposal.diff} />
        </>
      )}
      <MergeDialog proposal={proposal} merge={merge} isOpen={dialog === "merge"} onClose={() => setDialog(null)} />
      <RefuseDialog proposal={proposal} refuse={refuse} isOpen={dialog === "refuse"} onClose={() => setDialog(null)} />
    </article>
  )
}
