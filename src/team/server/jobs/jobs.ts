/** Background jobs. Only ids are queued: a job reads the rows when it runs. */
export type JobPayloads = {
  /** Promotes, ends and flags memories of a project; "" for memories of all projects. */
  evaluate: { slug: string; project: string }
  /** Learns from pending uploaded episodes. */
  learn: { slug: string; project: string }
  /** Adds missing or outdated vectors and rebalances index buckets. */
  embed: { slug: string }
  /** Deletes expired tokens, sessions and invitations. */
  tidy: { slug: string }
}

export type JobName = keyof JobPayloads

export const jobNames = ["evaluate", "learn", "embed", "tidy"] as const satisfies readonly JobName[]

export type Jobs = {
  /** Debounced: the same job sent repeatedly within some seconds runs once. Errors go to the log; no response depends on a job. */
  send<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<void>
  /** Waits for running jobs. */
  close(): Promise<void>
}

/** Schema of the queue's tables. */
export const queueSchema = "pgboss"
