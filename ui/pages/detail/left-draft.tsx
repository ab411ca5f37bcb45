import { Button } from "../../parts/button.tsx"
import { CopyButton } from "../../parts/copy-button.tsx"
import { useItemDraft } from "./drafts.ts"

/** The draft for an item that no longer exists. */
export function LeftDraft({ id }: { id: string }) {
  const [draft, setDraft] = useItemDraft(id)
  if (!draft) return null
  const text = `${draft.title}\n\n${draft.markdown}`
  return (
    <section className="left-draft" aria-label="Your unsaved draft">
      <h2>Your unsaved draft</h2>
      <pre className="left-draft-text">{text}</pre>
      <div className="dialog-actions">
        <Button onClick={() => setDraft(null)}>Discard</Button>
        <CopyButton text={text} what="the text" />
      </div>
    </section>
  )
}
