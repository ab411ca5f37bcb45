import { Button } from "../../parts/button.tsx"
import { CopyButton } from "../../parts/copy-button.tsx"
import { EmptyState } from "../../parts/empty-state.tsx"
import { useItemDraft } from "../detail/drafts.ts"

/** In the place of what somebody else has decided on meanwhile; what was being written for it is still there. */
export function CaseGone({ id }: { id: string }) {
  const [draft, setDraft] = useItemDraft(id)
  return (
    <>
      <EmptyState title="It no longer waits." hint="Somebody has decided on it, or its file was changed." />
      {draft ? (
        <section className="proposal" aria-label="What you were writing">
          <h2>What you were writing</h2>
          <pre className="lost-draft">{`${draft.title}\n\n${draft.markdown}`}</pre>
          <div className="proposal-actions">
            <CopyButton text={`${draft.title}\n\n${draft.markdown}`} what="the text" />
            <Button onClick={() => setDraft(null)}>Discard</Button>
          </div>
        </section>
      ) : null}
    </>
  )
}
