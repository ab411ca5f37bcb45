/** Where a change of an item is posted. */
export function itemPath(id: string, change: "edit" | "supersede" | "pin" | "forget"): string {
  return `/api/items/${encodeURIComponent(id)}/${change}`
}
