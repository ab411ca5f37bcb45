/** The connection was lost while the transaction was being committed: nobody can tell whether it was. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super("the connection to the database was lost during the commit", { cause })
  }
}
