/** Error codes; those below −32000 are JSON-RPC's, the rest Drey's. */
export const rpcCodes = {
  notJson: -32700,
  noRequest: -32600,
  noSuchMethod: -32601,
  badParams: -32602,
  bug: -32603,
  /** A user error without a code of its own. */
  refused: -32000,
  emptyEpisode: -32001,
  noSuchProject: -32002,
  writerFailed: -32003,
  notInitialised: -32010,
  emptyTask: -32011,
  emptyQuery: -32012,
  nothingToEvaluate: -32020,
  evaluationFailed: -32021,
  noSuchMemory: -32030,
  notConfirmed: -32031,
  emptyText: -32040,
  embeddingFailed: -32041,
} as const

/** An error response; `data` has details. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = "RpcError"
    this.code = code
    this.data = data
  }
}
