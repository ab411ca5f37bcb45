import type { MemoryContext } from "../memory/memory-context.ts"
import type { InboxDesk } from "./inbox-desk.ts"

export type InboxOptions = { context: MemoryContext; user: string; squadUi: boolean }

export function openInbox(_options: InboxOptions): InboxDesk {
  throw new Error("the inbox is not there yet")
}
