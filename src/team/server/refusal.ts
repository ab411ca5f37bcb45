import type { Problem } from "../api.ts"

/** Statuses with which a request is refused. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429 | 503

/** A request that is not served, in words for whoever made it: the sentence never holds content, nor tells of what others have. */
export class Refusal extends Error {
  readonly status: RefusalStatus
  readonly problem: Problem
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined

  constructor(status: RefusalStatus, problem: Problem, retryAfter?: number) {
    super(problem.code)
    this.name = "Refusal"
    this.status = status
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** Within a transaction it also takes back what was done in it. */
export function refuse(status: RefusalStatus, code: string, error: string, current?: unknown): never {
  throw new Refusal(status, { error, code, ...(current === undefined ? {} : { current }) })
}

/** The same for what is not there and for what is another's: nobody learns which. */
export function refuseUnknown(what: string): never {
  return refuse(404, "not-found", `There is no such ${what}.`)
}
