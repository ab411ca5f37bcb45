export const logLevels = ["debug", "info", "warn", "error", "silent"] as const
export type ServerLogLevel = (typeof logLevels)[number]

/** One JSON object per line. Never pass content: no memory text, query, body or secret. */
export type Log = (level: Exclude<ServerLogLevel, "silent">, message: string, fields?: Record<string, unknown>) => void

export function openLog(least: ServerLogLevel, now: () => Date, write: (line: string) => void): Log {
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return
    write(`${JSON.stringify({ time: now().toISOString(), level, message, ...fields })}\n`)
  }
}

/** The error's stack without its message: database messages contain values. */
export function traceOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {}
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  const cause = error.cause === undefined ? {} : { cause: traceOf(error.cause) }
  return { error: error.name, ...code, stack: frames.slice(0, 12).map((line) => line.trim()), ...cause }
}
