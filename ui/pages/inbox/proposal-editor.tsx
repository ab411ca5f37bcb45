import { useEffect, useRef } from "react"
import type { AcceptProposalRequest, ProposalDetail } from "../../../src/recall/browse/app-api.ts"
import { Button } from "../../parts/button.tsx"
import { ConflictNotice } from "../detail/conflict-notice.tsx"
import { DraftField } from "../detail/draft-field.tsx"
import type { ItemDraft } from "../detail/drafts.ts"
import { EditorTexts } from "../detail/editor-texts.tsx"
import type { ProposalChange } from "./use-proposal-change.ts"

type Properties = {
  proposal: ProposalDetail
  draft: ItemDraft
  onDraft: (draft: ItemDraft | null) => void
  accept: ProposalChange<AcceptProposalRequest>
}

/** Other words for a proposal, with which it is then accepted. */
export function ProposalEditor({ proposal, draft, onDraft, accept }: Properties) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector("textarea")?.focus(), [])
  const hasChangedSince = proposal.version !== draft.version
  return (
    <form
      ref={form}
      className="detail-form"
      onSubmit={(event) => {
        event.preventDefault()
        accept.mutate(acceptanceOf(draft, proposal))
      }}
    >
      {hasChangedSince ? <ConflictNotice detail={proposal} draft={draft} onDraft={onDraft} /> : null}
      <DraftField label="Title" value={draft.title} onChange={(title) => onDraft({ ...draft, title })} isRequired />
      <EditorTexts
        text={draft.markdown}
        onChange={(markdown) => onDraft({ ...draft, markdown })}
        theirs={hasChangedSince ? proposal : null}
      />
      {accept.error && !hasChangedSince ? <p className="field-problem">{accept.error.message}</p> : null}
      <div className="dialog-actions">
        <Button onClick={() => onDraft(null)}>Discard</Button>
        <Button type="submit" look="primary" disabled={accept.isPending || hasChangedSince}>
          Accept edited version
        </Button>
      </div>
    </form>
  )
}

function acceptanceOf({ version, title, markdown }: ItemDraft, proposal: ProposalDetail): AcceptProposalRequest {
  return {
    version,
    ...(title === proposal.row.title ? {} : { title }),
    ...(markdown === proposal.markdown ? {} : { markdown }),
  }
}
