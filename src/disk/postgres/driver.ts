import { CommitUnknown, isUnavailable } from "./postgres-error.ts"

/** One question with `$1`, `$2`… and what is answered. */
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
  /** Outside of any tenant, where no tenant's row can be seen: for the queue and for what the server asks about itself. */
  ask: RunQuery
  /** Calls back with whatever is told on the channel; resolves to what stops it. */
  listen(channel: string, hear: (message: string) => void): Promise<() => Promise<void>>
  /** As the owner of the tables, on a connection of its own. */
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

/** Those who write for one tenant wait for one another, as those who write one file do. */
const takeTurn = "SELECT pg_advisory_xact_lock($1::bigint)"

/** Fails when the tenant was deleted meanwhile: nothing is written for one that is not there. */
const isThere = "SELECT require_organisation()"

/**
 * One transaction on a connection that nobody else uses meanwhile. What opens it is not waited for: the connection keeps the order, and when
 * it fails, all that follows fails with it.
 */
export function runInTransaction(ask: RunQuery, { tenant, teams }: TenantScope, mode: "read" | "write") {
  return async <Result>(body: (ask: RunQuery) => Promise<Result>): Promise<Result> => {
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

/**
 * One after the other by name, whatever became of the one before. Who writes for a tenant waits here and not on a connection: else a tenant
 * with much to write would leave none for the others.
 */
export function makeQueues(): <Result>(name: string, act: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  return (name, act) => {
    const next = (last.get(name) ?? Promise.resolve()).then(act, act)
    const ended: Promise<void> = next
      .then(
        () => {},
        () => {}, // told to whoever asked for it
      )
      .then(() => {
        if (last.get(name) === ended) last.delete(name)
      })
    last.set(name, ended)
    return next
  }
}
