import type { Problem } from "../api.ts"

/** Statuses with which a request is refused. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429 | 503

/** Refuses a request with a message for the caller, which never contains content or reveals other members' data. */
export class Refusal extends Error {
  readonly status: RefusalStatus
  readonly problem: Problem
  /** Seconds. */
  readonly retryAfter: number | undefined

  constructor(status: RefusalStatus, problem: Problem, retryAfter?: number) {
    super(problem.code)
    this.name = "Refusal"
    this.status = status
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** Thrown inside a transaction, it also rolls the transaction back. */
export function refuse(status: RefusalStatus, code: string, error: string, current?: unknown): never {
  throw new Refusal(status, { error, code, ...(current === undefined ? {} : { current }) })
}

/** The same response for missing and for forbidden things, so that ids cannot be probed. */
export function refuseUnknown(what: string): never {
  return refuse(404, "not-found", `There is no such ${what}.`)
}
