/** Where a change of an item is posted. */
export function itemPath(id: string, change: "edit" | "supersede" | "pin" | "forget"): string {
  return `/api/items/${encodeURIComponent(id)}/${change}`
}

/** Where it is said what becomes of a proposal. */
export function inboxPath(key: string, change: "accept" | "merge" | "refuse"): string {
  return `/api/inbox/${encodeURIComponent(key)}/${change}`
}

/** One of a list of the organisation: `teamPath("members", id)`. */
export function teamPath(...parts: string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join("/")}`
}
