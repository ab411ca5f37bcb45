import { DreyError } from "../../errors.ts"
import { codeOf } from "../text-files.ts"

/** True if the database is unavailable or shutting down, so that a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof CommitUnknown) return true
  if (error instanceof DreyError) return isUnavailable(error.cause)
  const code = codeOf(error)
  return code !== undefined && (awayCodes.has(code) || code.startsWith("08"))
}

/** True if nothing was committed and a retry may succeed. */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof CommitUnknown) return false
  return isUnavailable(error) || code40.has(codeOf(error) ?? "")
}

/** True if the disk is full or the database is read-only. */
export function isFull(error: unknown): boolean {
  if (error instanceof DreyError) return isFull(error.cause)
  return ["53100", "53200", "25006"].includes(codeOf(error) ?? "")
}

/** Serialization failure and deadlock. */
const code40 = new Set(["40001", "40P01"])

const awayCodes = new Set([
  ...["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT"],
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"],
  ...["57P01", "57P02", "57P03", "53300"],
])

/** The same for what only the owner of the tables does. */
export function explainAsOwner(error: unknown): unknown {
  if (codeOf(error) !== "42501") return explainPostgres(error)
  return new DreyError("the database user has no permission: migrations must run as the owner of the tables", {
    cause: error,
  })
}

/** Explains errors that an operator can fix. The database's own message may contain values, so it stays in the cause. */
export function explainPostgres(error: unknown): unknown {
  if (error instanceof DreyError) return error
  if (isUnavailable(error)) return new DreyError("the database cannot be reached", { cause: error })
  if (isFull(error))
    return new DreyError("the database cannot be written: its disk is full or it is read-only", { cause: error })
  const code = codeOf(error)
  const sentence = code === undefined ? undefined : sentences[code]
  return sentence === undefined ? error : new DreyError(sentence, { cause: error })
}

const sentences: Record<string, string> = {
  DR404: "there is no such organisation",
  "28P01": "the database refuses the password",
  "28000": "the database refuses the user, or the role drey_app is missing: run drey team migrate",
  "3D000": "there is no database of this name",
  "57014": "the database took too long",
}

/** The connection was lost during the commit: the outcome is unknown. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super("the connection to the database was lost during the commit", { cause })
  }
}
