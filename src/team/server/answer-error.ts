import { codeOf } from "../../disk/file-error.ts"
import { isFull, isUnavailable } from "../../disk/postgres/postgres-error.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { scrubText } from "../../governance/find-sensitive.ts"
import type { Problem } from "../api.ts"
import { Refusal } from "./refusal.ts"

/** What somebody is told when a request did not succeed; of a bug only that there is one. */
export function answerError(error: unknown): Response {
  if (error instanceof Refusal) return problemResponse(error.status, error.problem, error.retryAfter)
  if (isUnavailable(error))
    return problemResponse(503, { error: "The database cannot be reached; try again soon.", code: "unavailable" }, 2)
  if (isFull(error)) return problemResponse(507, { error: "The server has no room left.", code: "full" }, 60)
  const code = codeOf(error instanceof DreyError ? error.cause : error)
  if (code === "57014")
    return problemResponse(503, { error: "The database took too long; try again.", code: "too-slow" }, 2)
  if (code === "22021" || code === "22P05") return problemResponse(400, { error: unstorable, code: "invalid" })
  if (code === "23505") return problemResponse(409, { error: "Somebody else was first; look again.", code: "changed" })
  if (error instanceof DreyError) {
    const sentence = scrubText([error.message, error.hint].filter(Boolean).join(". "))
    const isAbsent = error.exitCode === exitCode.no
    return problemResponse(isAbsent ? 404 : 400, { error: sentence, code: isAbsent ? "not-found" : "invalid" })
  }
  return problemResponse(500, { error: "Drey made a mistake; its log says more.", code: "bug" })
}

export function problemResponse(status: number, problem: Problem, retryAfter?: number): Response {
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }
  return Response.json(problem, { status, headers: { ...headers, "Cache-Control": "no-store" } })
}

/** What somebody is told who sends a text that the database cannot keep. */
export const unstorable = "A text holds a character that cannot be kept."
