import { useQuery } from "@tanstack/react-query"
import Check from "lucide-react/icons/check"
import ChevronDown from "lucide-react/icons/chevron-down"
import { DropdownMenu } from "radix-ui"
import { useState } from "react"
import type { Facets } from "../../../src/recall/browse/app-api.ts"
import { itemsQuery } from "../../api/queries.ts"
import { sameValue, toggleInQuery, valuesInQuery, withoutKey } from "../../parts/query-field/edit-query.ts"
import { Skeleton } from "../../parts/skeleton.tsx"

type Properties = { facet: keyof Facets; name: string; query: string; onChange: (query: string) => void }

export function FacetMenu({ facet, name, query, onChange }: Properties) {
  const chosen = valuesInQuery(query, facet)
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="facet" data-active={chosen.length > 0 || undefined}>
        {name}
        {chosen.length > 0 ? <span className="facet-chosen">{chosen.join(", ")}</span> : null}
        <ChevronDown size={12} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="facet-menu" align="start" sideOffset={4} collisionPadding={8}>
          <FacetValues
            facet={facet}
            query={query}
            chosen={chosen}
            onToggle={(value) => onChange(toggleInQuery(query, facet, value))}
          />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

type ValuesProperties = Pick<Properties, "facet" | "query"> & { chosen: string[]; onToggle: (value: string) => void }

/** Counts what each value would find beside the other filters, so that a second one can be chosen. */
function FacetValues({ facet, query, chosen, onToggle }: ValuesProperties) {
  const { data } = useQuery(itemsQuery(withoutKey(query, facet), 0))
  const [chosenAtFirst] = useState(chosen)
  if (!data) return <Skeleton lines={4} />
  const found = data.facets[facet].map(({ value, count }) => ({ name: value, typed: asTyped(facet, value), count }))
  // what was chosen when the menu opened stays in it, even if nothing has it
  const missing = chosenAtFirst.filter((one) => !found.some(({ typed }) => sameValue(typed, one)))
  const choices = [...found, ...missing.map((value) => ({ name: value, typed: value, count: 0 }))]
  if (choices.length === 0) return <p className="facet-none">Nothing to choose from.</p>
  return choices.map(({ name, typed, count }) => (
    <DropdownMenu.CheckboxItem
      key={typed}
      className="facet-value"
      checked={chosen.some((one) => sameValue(one, typed))}
      onSelect={(event) => event.preventDefault()} // stays open for the next
      onCheckedChange={() => onToggle(typed)}
    >
      <DropdownMenu.ItemIndicator className="facet-check">
        <Check size={14} aria-hidden />
      </DropdownMenu.ItemIndicator>
      <span className="facet-name">{name}</span>
      <span className="facet-count">{count.toLocaleString("en")}</span>
    </DropdownMenu.CheckboxItem>
  ))
}

/** A status is written without its space: `status:in-force`. */
function asTyped(facet: keyof Facets, value: string): string {
  return facet === "status" ? value.replace(" ", "-") : value
}
