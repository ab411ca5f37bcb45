import type { TranscriptEvent } from "./transcript-event.ts"

/** The result of reading a whole transcript. */
export type Account = { events: TranscriptEvent[]; records: number; unknown: Record<string, number> }

export function countUnknown(unknown: Record<string, number>, kind: string, times = 1): void {
  unknown[kind] = (unknown[kind] ?? 0) + times
}

export function joinAccounts(accounts: Account[]): Account {
  const unknown: Record<string, number> = {}
  for (const account of accounts)
    for (const [kind, times] of Object.entries(account.unknown)) countUnknown(unknown, kind, times)
  return {
    events: accounts.flatMap(({ events }) => events),
    records: accounts.reduce((sum, { records }) => sum + records, 0),
    unknown,
  }
}
