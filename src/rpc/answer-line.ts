import { isRecord } from "../disk/parse-json.ts"
import { DreyError } from "../errors.ts"
import { type Params, requireParams } from "./params.ts"
import { RpcError, rpcCodes } from "./rpc-error.ts"

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
    return undefined // no JSON stands for undefined
  }
}

function toLine(answers: Answer | Answer[] | undefined): string | undefined {
  return answers === undefined ? undefined : JSON.stringify(answers)
}
