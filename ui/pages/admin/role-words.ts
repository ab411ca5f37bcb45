import type { Role, TokenScope } from "../../../src/server/api.ts"

/** What each role may do, shown where one is chosen. */
export const roleWords: Record<Role, string> = {
  owner: "Full access, including deleting the organisation",
  admin: "Manages people, tokens and projects",
  member: "Shares and edits memories",
  viewer: "Reads",
}

export const scopeWords: Record<TokenScope, string> = {
  read: "Read memories",
  write: "Share and edit memories",
  admin: "Manage the organisation",
}
