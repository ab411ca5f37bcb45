import type { Detail, EditItemRequest, SupersedeItemRequest } from "../../../src/recall/browse/app-api.ts"
import { Button } from "../../parts/button.tsx"
import { ConflictNotice } from "./conflict-notice.tsx"
import { DraftField } from "./draft-field.tsx"
import type { ItemDraft } from "./drafts.ts"
import { EditorTexts } from "./editor-texts.tsx"
import type { DetailPlace } from "./item-detail.tsx"
import { useItemChange } from "./use-item-change.ts"

type Properties = { detail: Detail; draft: ItemDraft; onDraft: (draft: ItemDraft | null) => void; place: DetailPlace }

/** Changes an item's words, or writes what takes its place. */
export function ItemEditor({ detail, draft, onDraft, place }: Properties) {
  const save = useItemChange<EditItemRequest | SupersedeItemRequest>(detail.row.id, draft.change, place, {
    onDone: () => onDraft(null),
    showsProblems: true,
  })
  const hasChangedSince = detail.version !== draft.version
  const isEdit = draft.change === "edit"
  const hasTitle = detail.learned === null // a learned memory is its text alone
  const set = (part: Partial<ItemDraft>) => onDraft({ ...draft, ...part })
  return (
    <form
      className="detail-form"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(isEdit ? editOf(draft, detail) : supersedeOf(draft, hasTitle))
      }}
    >
      {hasChangedSince ? <ConflictNotice detail={detail} draft={draft} onDraft={onDraft} /> : null}
      {hasTitle ? (
        <DraftField
          label={isEdit ? "Title" : "Title of the replacement"}
          value={draft.title}
          onChange={(title) => set({ title })}
          isRequired
        />
      ) : null}
      <EditorTexts
        text={draft.markdown}
        onChange={(markdown) => set({ markdown })}
        theirs={hasChangedSince ? detail : null}
      />
      {isEdit && hasTitle ? (
        <DraftField label="Tags" hint="Separated by commas." value={draft.tags} onChange={(tags) => set({ tags })} />
      ) : null}
      {isEdit ? null : (
        <DraftField
          label="Why?"
          hint="Stored with the new item."
          value={draft.reason}
          onChange={(reason) => set({ reason })}
        />
      )}
      {save.error && !hasChangedSince ? <p className="field-problem">{save.error.message}</p> : null}
      <div className="dialog-actions">
        <Button onClick={() => onDraft(null)}>Discard</Button>
        <Button type="submit" look="primary" disabled={save.isPending || hasChangedSince || isUnchanged(draft, detail)}>
          {isEdit ? "Save" : "Supersede"}
        </Button>
      </div>
    </form>
  )
}

function editOf({ version, title, markdown, tags }: ItemDraft, detail: Detail): EditItemRequest {
  return {
    version,
    ...(title === detail.row.title ? {} : { title }),
    ...(markdown === detail.markdown ? {} : { markdown }),
    ...(tags === detail.row.tags.join(", ") ? {} : { tags: tagsIn(tags) }),
  }
}

function supersedeOf({ version, title, markdown, reason }: ItemDraft, hasTitle: boolean): SupersedeItemRequest {
  return { version, title: hasTitle ? title : markdown, markdown, ...(reason.trim() ? { reason: reason.trim() } : {}) }
}

function tagsIn(text: string): string[] {
  return text.split(",").flatMap((tag) => (tag.trim() === "" ? [] : tag.trim()))
}

function isUnchanged(draft: ItemDraft, { row, markdown }: Detail): boolean {
  const sameText = draft.title === row.title && draft.markdown === markdown
  return sameText && (draft.change === "supersede" || draft.tags === row.tags.join(", "))
}
