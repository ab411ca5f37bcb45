/** Work behind the answers. Of what it is about only names are queued: a job looks at the rows as they are when it runs. */
export type JobPayloads = {
  /** CR-Memory over a project, or with an empty one over what holds everywhere: promote, end, flag. */
  evaluate: { slug: string; project: string }
  /** Uploaded episodes that wait. */
  learn: { slug: string; project: string }
  /** Memories without a vector, or of another model; and words that are spread over too many. */
  embed: { slug: string }
  /** What has run out: tokens, sign-ins, invitations. */
  tidy: { slug: string }
}

export type JobName = keyof JobPayloads

export const jobNames = ["evaluate", "learn", "embed", "tidy"] as const satisfies readonly JobName[]

export type Jobs = {
  /** The same job asked for several times within some seconds runs once. Trouble is told in the log: no answer depends on a job. */
  send<Name extends JobName>(name: Name, payload: JobPayloads[Name]): Promise<void>
  /** Lets what runs come to its end. */
  close(): Promise<void>
}

/** Where the queue's tables stand. */
export const queueSchema = "pgboss"
