import { lstatSync } from "node:fs"
import { connect } from "node:net"
import { dirname } from "node:path"
import { isRecord } from "../disk/parse-json.ts"
import { whyNotPrivate } from "../disk/private-folder.ts"
import { DreyError, exitCode } from "../errors.ts"
import { readLines } from "./read-lines.ts"
import { RpcError } from "./rpc-error.ts"
import { isPipe } from "./socket-path.ts"

const longestAnswer = 64 * 1024 * 1024

/** Sends one request to the service at a socket. An error response is an `RpcError`; no response is a `DreyError`. */
export async function callRpc(
  socketPath: string,
  method: string,
  params: Record<string, unknown> = {},
  options: { timeoutMs?: number } = {},
): Promise<unknown> {
  requireOwn(socketPath)
  const socket = connect(socketPath)
  socket.on("error", () => {}) // thrown below, where the answer is read
  socket.setTimeout(options.timeoutMs ?? 60_000, () => socket.destroy(new Error("it timed out")))
  try {
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`)
    for await (const line of readLines(socket, longestAnswer)) {
      if (line.kind === "too long") break
      return resultOf(JSON.parse(line.text))
    }
  } catch (error) {
    if (error instanceof RpcError) throw error
    throw noAnswer(socketPath, error)
  } finally {
    socket.destroy()
  }
  throw noAnswer(socketPath, undefined)
}

/**
 * Another user may have created a socket there first, to intercept our requests. In a folder owned by this user alone, no one else can
 * replace it after this check.
 */
function requireOwn(socketPath: string): void {
  if (isPipe(socketPath)) return
  const folder = dirname(socketPath)
  const problem = whyNotPrivate(folder)
  if (problem !== undefined)
    throw new DreyError(`The socket in ${folder} is not used: ${problem}`, {
      hint: `Remove ${folder} if you can, or set DREY_HOME to a folder of yours with a short path.`,
      exitCode: exitCode.no,
    })
  const found = lstatSync(socketPath, { throwIfNoEntry: false })
  if (found && (!found.isSocket() || found.uid !== process.getuid?.())) throw noAnswer(socketPath, undefined)
}

function resultOf(answer: unknown): unknown {
  if (!isRecord(answer)) throw new Error("the answer is not JSON-RPC")
  if (!isRecord(answer.error)) return answer.result
  const { code, message, data } = answer.error
  throw new RpcError(Number(code), String(message), data)
}

function noAnswer(socketPath: string, cause: unknown): DreyError {
  return new DreyError(`No process answers at ${socketPath}`, {
    hint: 'Start it with "drey watch --detach".',
    cause,
    exitCode: exitCode.no,
  })
}
