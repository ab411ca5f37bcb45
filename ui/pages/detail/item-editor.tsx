import type { Detail, Edit, Supersede } from "../../../src/web/api.ts"
import { ConflictError } from "../../api/fetch-json.ts"
import { Button } from "../../parts/button.tsx"
import { Field } from "../../parts/field.tsx"
import { Markdown } from "../../parts/markdown.tsx"
import { ConflictNotice } from "./conflict-notice.tsx"
import type { ItemDraft } from "./drafts.ts"
import type { DetailPlace } from "./item-detail.tsx"
import { useItemChange } from "./use-item-change.ts"

type Properties = { detail: Detail; draft: ItemDraft; onDraft: (draft: ItemDraft | null) => void; place: DetailPlace }

/** Changes an item's words, or writes what takes its place. */
export function ItemEditor({ detail, draft, onDraft, place }: Properties) {
  const save = useItemChange<Edit | Supersede>(detail.row.id, draft.change, place, () => onDraft(null))
  const isGone = save.error instanceof ConflictError && save.error.current === null
  const hasChangedSince = detail.version !== draft.version
  const isEdit = draft.change === "edit"
  const set = (part: Partial<ItemDraft>) => onDraft({ ...draft, ...part })
  return (
    <form
      className="detail-form"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(isEdit ? editOf(draft, detail) : supersedeOf(draft))
      }}
    >
      <Field label={isEdit ? "Title" : "Title of what takes its place"}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            required
            value={draft.title}
            onChange={(event) => set({ title: event.target.value })}
          />
        )}
      </Field>
      <div className="editor-texts">
        <Field label="Text, as Markdown">
          {(attributes) => (
            <textarea
              {...attributes}
              className="text-area editor-text"
              value={draft.markdown}
              onChange={(event) => set({ markdown: event.target.value })}
            />
          )}
        </Field>
        <div className="field">
          <span className="field-label">Preview</span>
          <div className="editor-preview">
            <Markdown text={draft.markdown} />
          </div>
        </div>
      </div>
      {isEdit ? (
        <Field label="Tags" hint="Separated by commas.">
          {(attributes) => (
            <input
              {...attributes}
              className="input"
              value={draft.tags}
              onChange={(event) => set({ tags: event.target.value })}
            />
          )}
        </Field>
      ) : (
        <Field label="Why?" hint="Goes on record with it.">
          {(attributes) => (
            <input
              {...attributes}
              className="input"
              value={draft.reason}
              onChange={(event) => set({ reason: event.target.value })}
            />
          )}
        </Field>
      )}
      {hasChangedSince ? <ConflictNotice detail={detail} draft={draft} onDraft={onDraft} /> : null}
      {save.error && !hasChangedSince && !isGone ? <p className="field-problem">{save.error.message}</p> : null}
      {isGone ? (
        <p className="field-problem">It is no longer there. Your text stays here until you discard it.</p>
      ) : null}
      <div className="dialog-actions">
        <Button onClick={() => onDraft(null)}>Discard</Button>
        <Button type="submit" look="primary" disabled={save.isPending || hasChangedSince || isUnchanged(draft, detail)}>
          {isEdit ? "Save" : "Supersede"}
        </Button>
      </div>
    </form>
  )
}

function editOf({ version, title, markdown, tags }: ItemDraft, detail: Detail): Edit {
  return {
    version,
    ...(title === detail.row.title ? {} : { title }),
    ...(markdown === detail.markdown ? {} : { markdown }),
    ...(tags === detail.row.tags.join(", ") ? {} : { tags: tagsIn(tags) }),
  }
}

function supersedeOf({ version, title, markdown, reason }: ItemDraft): Supersede {
  return { version, title, markdown, ...(reason.trim() ? { reason: reason.trim() } : {}) }
}

function tagsIn(text: string): string[] {
  return text.split(",").flatMap((tag) => (tag.trim() === "" ? [] : tag.trim()))
}

function isUnchanged(draft: ItemDraft, { row, markdown }: Detail): boolean {
  const sameText = draft.title === row.title && draft.markdown === markdown
  return sameText && (draft.change === "supersede" || draft.tags === row.tags.join(", "))
}
