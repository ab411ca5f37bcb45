import { Field } from "../../parts/field.tsx"
import { Markdown } from "../../parts/markdown.tsx"
import type { Editable } from "./drafts.ts"

type Properties = {
  text: string
  onChange: (text: string) => void
  /** The version that was saved meanwhile. */
  theirs: Editable | null
}

/** The text as it is written, and beside it how it will look; in a conflict, what the other one wrote. */
export function EditorTexts({ text, onChange, theirs }: Properties) {
  return (
    <div className="editor-texts">
      <Field label="Text, as Markdown">
        {(attributes) => (
          <textarea
            {...attributes}
            className="text-area editor-text"
            value={text}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <div className="field">
        <span className="field-label">{theirs ? "Theirs" : "Preview"}</span>
        <div className={theirs ? "editor-preview editor-theirs" : "editor-preview"}>
          {theirs ? <p className="editor-theirs-title">{theirs.row.title}</p> : null}
          <Markdown text={theirs ? theirs.markdown : text} />
        </div>
      </div>
    </div>
  )
}
