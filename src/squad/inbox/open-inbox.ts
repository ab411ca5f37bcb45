import type { EntryDesk } from "../edit/find-entry.ts"
import type { InboxDesk } from "./inbox-desk.ts"

export type InboxOptions = Omit<EntryDesk, "read"> & {
  /** Told the id of a learned memory and why the team did not want what it proposed; undefined when it did after all. */
  noteRefusal: (memory: string, reason: string | undefined) => Promise<void>
}

export function openInbox(_options: InboxOptions): InboxDesk {
  throw new Error("the inbox is not there yet")
}
