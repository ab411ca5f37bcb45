/** The four ways a command can end; DESIGN's table of exit codes. */
export const exitCode = { done: 0, no: 1, usage: 2, bug: 3 } as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** Something the user can mend: what happened, where, and what to do. Everything else that is thrown is a bug. */
export class DreyError extends Error {
  readonly hint: string | undefined
  readonly exitCode: ExitCode

  constructor(message: string, options: { hint?: string; cause?: unknown; exitCode?: ExitCode } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "DreyError"
    this.hint = options.hint
    this.exitCode = options.exitCode ?? exitCode.usage
  }
}

/** What a person can mend, in its own words; a bug with the place it comes from. */
export function sentenceOf(error: unknown): string {
  if (error instanceof DreyError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const mostShown = 10

/** For an id that was shortened too much: the user picks one of those that it may mean. */
export function severalIds(typed: string, ids: readonly string[]): DreyError {
  const more = ids.length > mostShown ? `, and ${ids.length - mostShown} more` : ""
  return new DreyError(`${typed} matches several ids`, {
    hint: `Use a longer prefix: ${ids.slice(0, mostShown).join(", ")}${more}.`,
  })
}
