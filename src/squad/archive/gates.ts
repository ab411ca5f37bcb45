/** From this size on, entries older than so many days leave decisions.md until it is smaller. */
export const decisionsGates = [
  { bytes: 20_480, days: 30 },
  { bytes: 51_200, days: 7 },
] as const

/** With more files than this in the inbox, or an older one, a merge is due. */
export const inboxGate = { files: 5, days: 7 } as const
