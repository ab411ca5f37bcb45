import { CommitUnknown, isUnavailable } from "./postgres-error.ts"

/** One query with `$1`, `$2`… and its result. */
export type RunQuery = (sql: string, parameters?: readonly PostgresValue[]) => Promise<PostgresResult>

export type PostgresValue = null | number | bigint | string | boolean | Uint8Array

export type PostgresResult = { rows: Record<string, unknown>[]; changes: number }

/** Whose rows a transaction can see. The database itself enforces it: see `policies` in the schema. */
export type TenantScope = {
  tenant: string
  /** Which teams' memories; all of them for the server's own work and for administrators. */
  teams: readonly string[] | "all"
}

/** A PostgreSQL as this process has it open, as the role that owns nothing and that row-level security binds. */
export type PostgresDriver = {
  /** In one transaction that sees the rows of one tenant only; `write`s of one tenant run one after another, a `read` is one snapshot. */
  within<Result>(reach: TenantScope, mode: "read" | "write", body: (ask: RunQuery) => Promise<Result>): Promise<Result>
  /** Outside of any tenant, where no tenant's row is visible: for the queue and for the server's queries about itself. */
  ask: RunQuery
  /** Calls back with every notification on the channel; resolves to a function that stops it. */
  listen(channel: string, hear: (message: string) => void): Promise<() => Promise<void>>
  /** As the owner of the tables, on a separate connection. */
  asOwner<Result>(body: (ask: RunQuery) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** The role under which everything but migrations runs. */
export const applicationRole = "drey_app"

const begin = {
  read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  write: "BEGIN",
}

const reachOf = "SELECT set_config('app.tenant', $1, true), set_config('app.teams', $2, true)"

/** Writers of one tenant wait for each other, like writers of one file. */
const takeTurn = "SELECT pg_advisory_xact_lock($1::bigint)"

/** Fails when the tenant was deleted meanwhile: nothing is written for one that is not there. */
const isThere = "SELECT require_organisation()"

/**
 * One transaction on a connection used exclusively. The statement that opens it is not awaited: the connection keeps the order, and if it
 * fails, everything after it fails too.
 */
export function runInTransaction(ask: RunQuery, { tenant, teams }: TenantScope, mode: "read" | "write") {
  return async <Result>(body: (ask: RunQuery) => Promise<Result>): Promise<Result> => {
    const opening = Promise.all([
      ask(begin[mode]),
      ask(reachOf, [tenant, teams === "all" ? "*" : teams.join(",")]),
      ...(mode === "write" ? [ask(takeTurn, [tenant])] : []),
    ])
    opening.catch(() => {}) // reported below
    try {
      const result = await body(ask)
      await opening
      if (mode === "read") {
        ask("COMMIT").catch(() => {}) // nothing depends on it: the next user of the connection is queued after it
        return result
      }
      await ask(isThere)
      await ask("COMMIT").catch((error) => {
        throw isUnavailable(error) ? new CommitUnknown(error) : error
      })
      return result
    } catch (error) {
      if (!(error instanceof CommitUnknown)) await ask("ROLLBACK").catch(() => {}) // without a connection there is nothing to roll back
      await opening // the first error is more useful than those it caused
      throw error
    }
  }
}

/**
 * Runs them one after the other per name, whatever the result of the one before. A tenant's writers wait here and not on a connection:
 * otherwise a busy tenant would leave none for the others.
 */
export function makeQueues(): <Result>(name: string, act: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  return (name, act) => {
    const next = (last.get(name) ?? Promise.resolve()).then(act, act)
    const ended: Promise<void> = next
      .then(
        () => {},
        () => {}, // reported to the caller
      )
      .then(() => {
        if (last.get(name) === ended) last.delete(name)
      })
    last.set(name, ended)
    return next
  }
}
