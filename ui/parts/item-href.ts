/** Where an item is shown. */
export function itemHref(id: string): string {
  return `/items/${encodeURIComponent(id)}`
}

/** The Explorer with a query already asked. */
export function explorerHref(query: string): string {
  return `/explorer?${new URLSearchParams({ q: query })}`
}
