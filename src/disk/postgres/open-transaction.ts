import { CommitUnknown } from "./commit-unknown.ts"
import type { Ask, Reach } from "./driver.ts"
import { isUnavailable } from "./postgres-error.ts"

const begin = {
  read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  write: "BEGIN",
}

const reachOf = "SELECT set_config('app.tenant', $1, true), set_config('app.teams', $2, true)"

/** Those who write for one tenant wait for one another, as those who write one file do. */
const takeTurn = "SELECT pg_advisory_xact_lock($1::bigint)"

/** Fails when the tenant was deleted meanwhile: nothing is written for one that is not there. */
const isThere = "SELECT require_organisation()"

/**
 * One transaction on a connection that nobody else uses meanwhile. What opens it is not waited for: the connection keeps the order, and when
 * it fails, all that follows fails with it.
 */
export function openTransaction(ask: Ask, { tenant, teams }: Reach, mode: "read" | "write") {
  return async <Result>(body: (ask: Ask) => Promise<Result>): Promise<Result> => {
    const opening = Promise.all([
      ask(begin[mode]),
      ask(reachOf, [tenant, teams === "all" ? "*" : teams.join(",")]),
      ...(mode === "write" ? [ask(takeTurn, [tenant])] : []),
    ])
    opening.catch(() => {}) // told below
    try {
      const result = await body(ask)
      await opening
      if (mode === "read") {
        ask("COMMIT").catch(() => {}) // nothing depends on it: whoever has the connection next comes behind it
        return result
      }
      await ask(isThere)
      await ask("COMMIT").catch((error) => {
        throw isUnavailable(error) ? new CommitUnknown(error) : error
      })
      return result
    } catch (error) {
      if (!(error instanceof CommitUnknown)) await ask("ROLLBACK").catch(() => {}) // without a connection there is nothing to roll back
      await opening // the first that went wrong says more than what followed from it
      throw error
    }
  }
}
