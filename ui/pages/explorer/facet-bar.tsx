import { useQuery } from "@tanstack/react-query"
import type { Facets } from "../../../src/recall/browse/app-api.ts"
import { aboutQuery } from "../../api/queries.ts"
import { withoutKey } from "../../parts/query-field/edit-query.ts"
import { SpanChip } from "../../parts/span/span-chip.tsx"
import { FacetMenu } from "./facet-menu.tsx"

const facets: { key: keyof Facets; name: string }[] = [
  { key: "type", name: "Type" },
  { key: "author", name: "Author" },
  { key: "scope", name: "Scope" },
  { key: "tag", name: "Tag" },
  { key: "status", name: "Status" },
  { key: "source", name: "Source" },
]

type Properties = { query: string; onChange: (query: string) => void }

/** Filters by what the results have in common; each one is a part of the query's text. */
export function FacetBar({ query, onChange }: Properties) {
  const { data: about } = useQuery(aboutQuery())
  const shown = facets.filter(({ key }) => key !== "source" || !about?.team) // all that a team shares was learned
  return (
    <fieldset className="facet-bar" aria-label="Filters">
      {shown.map(({ key, name }) => (
        <FacetMenu key={key} facet={key} name={name} query={query} onChange={onChange} />
      ))}
      <SpanChip query={query} onChange={onChange} />
      {facets.some(({ key }) => withoutKey(query, key) !== query.trim()) ? (
        <button type="button" className="facet-clear" onClick={() => onChange(clearAll(query))}>
          Clear
        </button>
      ) : null}
    </fieldset>
  )
}

function clearAll(query: string): string {
  return facets.reduce((text, { key }) => withoutKey(text, key), query)
}
