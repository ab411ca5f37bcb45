import { Button } from "../../parts/button.tsx"
import { CopyButton } from "../../parts/copy-button.tsx"
import { useItemDraft } from "./drafts.ts"

/** What somebody has written about an item that went before it was saved. */
export function LeftDraft({ id }: { id: string }) {
  const [draft, setDraft] = useItemDraft(id)
  if (!draft) return null
  const text = `${draft.title}\n\n${draft.markdown}`
  return (
    <section className="conflict" aria-label="What you wrote">
      <p>
        <strong>What you wrote about it was not saved.</strong>
      </p>
      <p className="left-draft">{text}</p>
      <div className="dialog-actions">
        <Button onClick={() => setDraft(null)}>Discard</Button>
        <CopyButton text={text} what="the text" />
      </div>
    </section>
  )
}
