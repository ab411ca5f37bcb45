import type { Audit } from "../../../src/recall/browse/app-api.ts"
import { Button } from "../../parts/button.tsx"
import { Field } from "../../parts/field.tsx"
import { quantity } from "../../parts/format-number.ts"
import { Select } from "../../parts/select.tsx"
import { useSearchValues } from "../../parts/use-search-values.ts"

/** By what was done, by whom, and by words; each is a part of the address. */
export function AuditFilters({ audit: { actions, actors, total } }: { audit: Audit }) {
  const [values, change] = useSearchValues()
  const filter = (name: string, value: string) => change({ [name]: value, page: null }, { replace: true })
  const isFiltered = ["action", "actor", "text"].some((name) => values.has(name))
  return (
    <search className="audit-filters" aria-label="Filter the audit">
      <Field label="Action">
        {(attributes) => (
          <Select
            {...attributes}
            value={values.get("action") ?? ""}
            options={choices("Any action", actions, values.get("action"))}
            onChange={(value) => filter("action", value)}
          />
        )}
      </Field>
      <Field label="Actor">
        {(attributes) => (
          <Select
            {...attributes}
            value={values.get("actor") ?? ""}
            options={choices("Anyone", actors, values.get("actor"))}
            onChange={(value) => filter("actor", value)}
          />
        )}
      </Field>
      <Field label="Words, a path or an id">
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            className="input"
            value={values.get("text") ?? ""}
            onChange={({ target }) => filter("text", target.value)}
          />
        )}
      </Field>
      {isFiltered ? (
        <Button look="quiet" onClick={() => change({ action: null, actor: null, text: null, page: null })}>
          Clear
        </Button>
      ) : null}
      <p className="audit-count" aria-live="polite">
        {quantity(total, "line")}
      </p>
    </search>
  )
}

/** What the address asks for is a choice even if the audit does not know it. */
function choices(all: string, known: string[], asked: string | null): { value: string; name: string }[] {
  const missing = asked === null || known.includes(asked) ? [] : [asked]
  return [{ value: "", name: all }, ...[...known, ...missing].map((value) => ({ value, name: value }))]
}
