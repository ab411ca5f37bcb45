/** The four exit codes of every command. */
export const exitCode = { done: 0, no: 1, usage: 2, bug: 3 } as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

const brand = Symbol.for("drey.error")

/** An error that the user can fix: what happened, where, and what to do. Everything else that is thrown is a bug. */
export class DreyError extends Error {
  /** The program is built as several files with a copy of this class each: an error of any of them is a DreyError. */
  static override readonly [Symbol.hasInstance] = hasInstance

  readonly [brand] = true
  readonly hint: string | undefined
  readonly exitCode: ExitCode

  constructor(message: string, options: { hint?: string; cause?: unknown; exitCode?: ExitCode } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "DreyError"
    this.hint = options.hint
    this.exitCode = options.exitCode ?? exitCode.usage
  }
}

/** Subclasses are recognised as usual. */
function hasInstance(this: unknown, value: unknown): boolean {
  if (this !== DreyError) return Function.prototype[Symbol.hasInstance].call(this, value)
  return value instanceof Error && brand in value
}

/** The message of a user error, the stack trace of a bug. */
export function errorSentence(error: unknown): string {
  if (error instanceof DreyError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const mostShown = 10

/** For an ambiguous id prefix: lists the candidates. */
export function ambiguousId(typed: string, ids: readonly string[]): DreyError {
  const more = ids.length > mostShown ? `, and ${ids.length - mostShown} more` : ""
  return new DreyError(`${typed} matches several ids`, {
    hint: `Use a longer prefix: ${ids.slice(0, mostShown).join(", ")}${more}.`,
  })
}
