import { DreyError } from "../errors.ts"
import { isRecord } from "../formats/objects.ts"

/** Error codes; those below −32000 are JSON-RPC's, the rest Drey's. */
export const rpcCodes = {
  notJson: -32700,
  noRequest: -32600,
  noSuchMethod: -32601,
  badParams: -32602,
  bug: -32603,
  /** A user error without a specific code. */
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

export type Method = (params: Params) => Promise<unknown>

export type Methods = Readonly<Record<string, Method>>

type Answer = { jsonrpc: "2.0"; id: Id } & ({ result: unknown } | { error: Failure })
type Failure = { code: number; message: string; data?: unknown }
type Id = string | number | null

/** Maximum requests per batch. */
const mostInBatch = 100

/** Answers one line of JSON-RPC 2.0, a request or a batch; undefined for notifications. Never throws. */
export async function answerLine(line: string, methods: Methods): Promise<string | undefined> {
  const message = parse(line)
  if (message === undefined) return JSON.stringify(failed(null, rpcCodes.notJson, "this line is not JSON"))
  if (!Array.isArray(message)) return toLine(await answer(message, methods))
  if (message.length === 0 || message.length > mostInBatch) {
    const sentence = `a batch must have 1 to ${mostInBatch} requests`
    return JSON.stringify(failed(null, rpcCodes.noRequest, sentence))
  }
  const answers: Answer[] = []
  for (const request of message) {
    const answered = await answer(request, methods) // sequential: a batch must not monopolise the service
    if (answered) answers.push(answered)
  }
  return toLine(answers.length > 0 ? answers : undefined)
}

/** The answer to a line that is too long. */
export function refuseLine(mostBytes: number): string {
  return JSON.stringify(failed(null, rpcCodes.noRequest, `a line has at most ${mostBytes} bytes`))
}

async function answer(request: unknown, methods: Methods): Promise<Answer | undefined> {
  if (!isRecord(request) || request.jsonrpc !== "2.0" || typeof request.method !== "string" || !isId(request.id))
    return failed(null, rpcCodes.noRequest, 'not a JSON-RPC 2.0 request: {"jsonrpc":"2.0","id":1,"method":"status"}')
  const isNotification = !("id" in request)
  const id = request.id ?? null
  const outcome = await run(request.method, request.params, methods)
  if (isNotification) return undefined
  return { jsonrpc: "2.0", id, ...outcome }
}

async function run(name: string, params: unknown, methods: Methods): Promise<{ result: unknown } | { error: Failure }> {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (!method) return { error: { code: rpcCodes.noSuchMethod, message: `unknown method ${name.slice(0, 80)}` } }
  try {
    return { result: (await method(requireParams(params))) ?? null }
  } catch (error) {
    return { error: toFailure(error) }
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof RpcError) {
    const { code, message, data } = error
    return { code, message, ...(data === undefined ? {} : { data }) }
  }
  if (error instanceof DreyError) {
    const { message, hint } = error
    return { code: rpcCodes.refused, message, ...(hint === undefined ? {} : { data: { hint } }) }
  }
  return { code: rpcCodes.bug, message: `internal error: ${error instanceof Error ? error.message : String(error)}` }
}

function isId(id: unknown): id is Id | undefined {
  return id === undefined || id === null || typeof id === "string" || typeof id === "number"
}

function failed(id: Id, code: number, message: string): Answer {
  return { jsonrpc: "2.0", id, error: { code, message } }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // JSON has no undefined
  }
}

function toLine(answers: Answer | Answer[] | undefined): string | undefined {
  return answers === undefined ? undefined : JSON.stringify(answers)
}

/** Named request parameters, not parsed yet. */
export type Params = Record<string, unknown>

function requireParams(value: unknown): Params {
  if (value === undefined) return {}
  if (isRecord(value)) return value
  throw new RpcError(rpcCodes.badParams, "params must be an object: every parameter has a name")
}
