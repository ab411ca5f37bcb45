import { isFull, isUnavailable } from "../disk/postgres/postgres-error.ts"
import { codeOf } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { scrubText } from "../governance/redaction.ts"
import type { ServerProblem } from "./api.ts"

/** Statuses with which a request is refused. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429 | 503

/** Refuses a request with a message for the caller, which never contains content or reveals other members' data. */
export class HttpRefusal extends Error {
  readonly status: RefusalStatus
  readonly problem: ServerProblem
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(status: RefusalStatus, problem: ServerProblem, retryAfter?: number) {
    super(problem.code)
    this.name = "Refusal"
    this.status = status
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** Thrown inside a transaction, it also rolls the transaction back. */
export function refuse(status: RefusalStatus, code: string, error: string, current?: unknown): never {
  throw new HttpRefusal(status, { error, code, ...(current === undefined ? {} : { current }) })
}

/** The same response for missing and for forbidden things, so that ids cannot be probed. */
export function refuseUnknown(what: string): never {
  return refuse(404, "not-found", `There is no such ${what}.`)
}

/** Turns an error into a response; details of bugs stay in the log. */
export function answerError(error: unknown): Response {
  if (error instanceof HttpRefusal) return problemResponse(error.status, error.problem, error.retryAfter)
  if (isUnavailable(error))
    return problemResponse(503, { error: "The database cannot be reached. Try again soon.", code: "unavailable" }, 2)
  if (isFull(error)) return problemResponse(507, { error: "The server's disk is full.", code: "full" }, 60)
  const code = codeOf(error instanceof DreyError ? error.cause : error)
  if (code === "57014")
    return problemResponse(503, { error: "The database took too long. Try again.", code: "too-slow" }, 2)
  if (code === "22021" || code === "22P05") return problemResponse(400, { error: unstorable, code: "invalid" })
  if (code === "23505")
    return problemResponse(409, { error: "It was changed by another request. Reload and try again.", code: "changed" })
  if (error instanceof DreyError) {
    const sentence = scrubText([error.message, error.hint].filter(Boolean).join(". "))
    const isAbsent = error.exitCode === exitCode.no
    return problemResponse(isAbsent ? 404 : 400, { error: sentence, code: isAbsent ? "not-found" : "invalid" })
  }
  return problemResponse(500, { error: "Internal error. See the server's log for details.", code: "bug" })
}

export function problemResponse(status: number, problem: ServerProblem, retryAfter?: number): Response {
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }
  return Response.json(problem, { status, headers: { ...headers, "Cache-Control": "no-store" } })
}

/** Error message for text that PostgreSQL cannot store. */
export const unstorable = "The text contains a character that cannot be stored."
