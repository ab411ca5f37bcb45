/** The largest decisions.md that an agent can read whole without Drey; entries above it are archived. */
export const decisionsLimit = 20_480

/** A merge is due when the inbox has more files than this, or an older one. */
export const inboxGate = { files: 5, days: 7 } as const
