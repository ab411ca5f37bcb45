import { isDamaged } from "../disk/sqlite.ts"

/** True for an error that means: this index is not what Drey wrote, whether SQLite can read it or not. */
export function isUnusable(error: unknown): boolean {
  if (isDamaged(error)) return true
  return error instanceof Error && (isOfOtherTables(error) || isOfBrokenJson(error))
}

function isOfOtherTables({ message }: Error): boolean {
  return /^(?:no such (?:table|column)\b|table \w+ has no column\b|vtable constructor failed\b)/.test(message)
}

function isOfBrokenJson(error: Error): boolean {
  return error instanceof SyntaxError && error.message.includes("JSON")
}
