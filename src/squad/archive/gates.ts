/** An agent that reads decisions.md whole, without Drey, can afford so many bytes; what is above goes to the archive. */
export const decisionsLimit = 20_480

/** With more files than this in the inbox, or an older one, a merge is due. */
export const inboxGate = { files: 5, days: 7 } as const
