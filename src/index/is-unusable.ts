import { isDamaged } from "../disk/sqlite.ts"

/** True for an error that means that Drey did not write this index, whether or not SQLite can read it. */
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
