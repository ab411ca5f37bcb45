import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Row } from "../../../src/recall/browse/app-api.ts"
import { itemsQuery } from "../../api/queries.ts"
import { TypeBadge } from "../../parts/badge.tsx"
import { Field } from "../../parts/field.tsx"
import { Time } from "../../parts/time.tsx"
import { useDebounced } from "../../parts/use-debounced.ts"

const most = 6

type Properties = { known: Row[]; chosen: string | null; onChoose: (id: string | null) => void }

/** The entries that something may be merged into: those that it is like, or what is found by words. */
export function MergeTarget({ known, chosen, onChoose }: Properties) {
  const [words, setWords] = useState("")
  const asked = useDebounced(words.trim(), 150)
  const { data } = useQuery({
    ...itemsQuery(`${asked} source:decisions status:in-force`, most),
    placeholderData: keepPreviousData,
  })
  const choices = asked === "" && known.length > 0 ? known : (data?.rows ?? [])
  return (
    <>
      <Field label={known.length > 0 ? "Find another entry by its words" : "Find an entry by its words"}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            type="search"
            value={words}
            onChange={(event) => {
              setWords(event.target.value)
              onChoose(null) // what is chosen must be in sight
            }}
          />
        )}
      </Field>
      <fieldset className="choices">
        <legend className="field-label">Into which entry?</legend>
        {choices.map((row) => (
          <label key={row.id} className="choice">
            <input type="radio" name="into" checked={row.id === chosen} onChange={() => onChoose(row.id)} />
            <span className="choice-entry">
              <TypeBadge type={row.type} /> {row.title} {row.at === null ? null : <Time at={row.at} />}
            </span>
          </label>
        ))}
        {data && choices.length === 0 ? <p className="field-hint">No active entry found.</p> : null}
      </fieldset>
    </>
  )
}
