/** One question with `$1`, `$2`… and what is answered. */
export type Ask = (sql: string, parameters?: readonly PostgresValue[]) => Promise<PostgresAnswer>

export type PostgresValue = null | number | bigint | string | boolean | Uint8Array

export type PostgresAnswer = { rows: Record<string, unknown>[]; changes: number }

/** Whose rows a transaction can see. The database itself enforces it: see `policies` in the schema. */
export type Reach = {
  tenant: string
  /** Which teams' memories; all of them for the server's own work and for administrators. */
  teams: readonly string[] | "all"
}

/** A PostgreSQL as this process has it open, as the role that owns nothing and that row-level security binds. */
export type PostgresDriver = {
  /** In one transaction that sees the rows of one tenant only; `write`s of one tenant run one after another, a `read` is one snapshot. */
  within<Result>(reach: Reach, mode: "read" | "write", body: (ask: Ask) => Promise<Result>): Promise<Result>
  /** Outside of any tenant, where no tenant's row can be seen: for the queue and for what the server asks about itself. */
  ask: Ask
  /** Calls back with whatever is told on the channel; resolves to what stops it. */
  listen(channel: string, hear: (message: string) => void): Promise<() => Promise<void>>
  /** As the owner of the tables, on a connection of its own. */
  asOwner<Result>(body: (ask: Ask) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** The role under which everything but migrations runs. */
export const applicationRole = "drey_app"
