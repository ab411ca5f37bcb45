import { useEffect, useRef } from "react"
import { CopyButton } from "./copy-button.tsx"
import { Field } from "./field.tsx"

type Properties = {
  /** What it is called: "Link", "Token". */
  label: string
  hint: string
  text: string
  /** As the copy button names it: "the link". */
  what: string
}

/** A text that is stored nowhere: the user copies it now, so it has the focus. */
export function ShownOnce({ label, hint, text, what }: Properties) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <div className="shown-once">
      <Field label={label} hint={hint}>
        {(attributes) => (
          <input
            {...attributes}
            ref={field}
            className="input shown-once-text"
            readOnly
            value={text}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <CopyButton text={text} what={what} />
    </div>
  )
}
