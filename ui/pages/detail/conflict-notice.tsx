import { Button } from "../../parts/button.tsx"
import type { Editable, ItemDraft } from "./drafts.ts"

type Properties = { detail: Editable; draft: ItemDraft; onDraft: (draft: ItemDraft | null) => void }

/** The item was changed after the draft was started: nothing is saved until the user has chosen. */
export function ConflictNotice({ detail, draft, onDraft }: Properties) {
  const both = `${draft.markdown}\n\n${detail.markdown}`
  return (
    <section className="conflict" role="alert" aria-label="Changed meanwhile">
      <p>
        <strong>It was changed while you were editing.</strong> The current version is shown beside yours.
      </p>
      <div className="dialog-actions">
        <Button onClick={() => onDraft(null)}>Use theirs</Button>
        <Button onClick={() => onDraft({ ...draft, markdown: both, version: detail.version })}>
          Append theirs to mine
        </Button>
        <Button onClick={() => onDraft({ ...draft, version: detail.version })}>Keep mine</Button>
      </div>
    </section>
  )
}
