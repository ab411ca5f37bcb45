import type { Detail } from "../../../src/web/api.ts"
import { Button } from "../../parts/button.tsx"
import { Markdown } from "../../parts/markdown.tsx"
import type { ItemDraft } from "./drafts.ts"

type Properties = { detail: Detail; draft: ItemDraft; onDraft: (draft: ItemDraft | null) => void }

/** Somebody changed the item since the draft was begun: their words stay in sight until the person has chosen. */
export function ConflictNotice({ detail, draft, onDraft }: Properties) {
  return (
    <section className="conflict" role="alert" aria-label="Changed meanwhile">
      <p>
        <strong>Somebody else has changed it since you began.</strong> Your text is kept above; theirs is this:
      </p>
      <div className="conflict-theirs">
        <p className="conflict-title">{detail.row.title}</p>
        <Markdown text={detail.markdown} />
      </div>
      <div className="dialog-actions">
        <Button onClick={() => onDraft(null)}>Take theirs</Button>
        <Button
          onClick={() =>
            onDraft({ ...draft, markdown: `${draft.markdown}\n\n${detail.markdown}`, version: detail.version })
          }
        >
          Put theirs below mine
        </Button>
        <Button onClick={() => onDraft({ ...draft, version: detail.version })}>Go on with mine</Button>
      </div>
    </section>
  )
}
