import type { Entry } from "./entry.ts"
import { instantOf } from "./timestamp.ts"

/** How something on record stands: what the team wrote down, what was learned (`on trial`, `proven`, `ended`), what a session noted. */
export const itemStatuses = [
  "in force",
  "proposed",
  "superseded",
  "expired",
  "archived",
  "on trial",
  "proven",
  "ended",
  "noted",
] as const
export type ItemStatus = (typeof itemStatuses)[number]

/** As it is written in a query, without quotes; the last two are older names. */
export const queryStatuses = [...itemStatuses.map((status) => status.replace(" ", "-")), "active", "review-due"]

/** What a status in a query asks for: `active` is whatever has neither been replaced nor ended. */
export function statusesNamed(name: string): readonly ItemStatus[] {
  if (name === "active") return itemStatuses.filter((status) => status !== "superseded" && status !== "ended")
  if (name === "review-due") return ["expired"]
  return itemStatuses.filter((status) => status.replace(" ", "-") === name)
}

/** An entry that has expired is in force until somebody has looked at it. */
export function statusOfEntry(entry: Entry, source: string, superseded: boolean, now: Date): ItemStatus {
  if (superseded) return "superseded"
  if (source === "archive") return "archived"
  if (entry.expires !== undefined && instantOf(entry.expires) <= now.getTime()) return "expired"
  return source === "inbox" ? "proposed" : "in force"
}
