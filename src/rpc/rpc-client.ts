import { existsSync, lstatSync } from "node:fs"
import { connect } from "node:net"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { whyNotPrivate } from "../disk/home-files.ts"
import { parseJson } from "../disk/json.ts"
import { streamLines } from "../disk/lines.ts"
import { withLockIfFree } from "../disk/lock.ts"
import { readTextFile } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { isRecord } from "../formats/objects.ts"
import type { ServiceState } from "./methods.ts"
import { RpcError } from "./protocol.ts"
import { isPipe, type WatchPaths, watchPaths } from "./socket.ts"

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
    for await (const line of streamLines(socket, longestAnswer)) {
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

export type RunningWatch = ServiceState & { projects: { id: string; root: string }[]; paused: unknown }

/** The user's running watch, according to its own answer; undefined if none answers. */
export async function findWatch(environment: NodeJS.ProcessEnv): Promise<RunningWatch | undefined> {
  const place = watchPaths(environment)
  try {
    return (await callRpc(readState(place)?.socket ?? place.socket, "status", {}, { timeoutMs: 5000 })) as RunningWatch
  } catch (error) {
    if (error instanceof DreyError) return undefined
    throw error
  }
}

/** Stops the running watch: asks it first, then kills it. Undefined if none was running. */
export async function stopWatch(environment: NodeJS.ProcessEnv): Promise<{ pid: number | undefined } | undefined> {
  const place = watchPaths(environment)
  const state = readState(place)
  if (!existsSync(place.lock) || (await isFree(place))) return undefined
  const ways = [
    () => callRpc(state?.socket ?? place.socket, "shutdown", {}, { timeoutMs: 5000 }),
    async () => state && process.kill(state.pid, "SIGTERM"),
    async () => state && process.kill(state.pid, "SIGKILL"), // whatever it does, nothing is half written
  ]
  for (const way of ways) {
    const isTaken = await way().then(
      () => true,
      () => false, // it does not listen, or has exited: the lock shows
    )
    if (isTaken ? await isFreeSoon(place) : await isFree(place)) return { pid: state?.pid }
  }
  throw new DreyError("The watch could not be stopped", { exitCode: exitCode.no })
}

const patienceMs = 15_000

/** The lock is free once the process has released everything. */
async function isFreeSoon(place: WatchPaths): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    if (await isFree(place)) return true
    if (performance.now() > deadline) return false
    await pause(50)
  }
}

async function isFree({ lock }: WatchPaths): Promise<boolean> {
  return (await withLockIfFree(lock, () => undefined)).kind === "done"
}

function readState({ record }: WatchPaths): ServiceState | undefined {
  if (!existsSync(record)) return undefined
  const state = parseJson(readTextFile(record).text, record)
  const isState = isRecord(state) && typeof state.pid === "number" && typeof state.socket === "string"
  return isState ? (state as ServiceState) : undefined
}

/** Makes the running watch reload the policy files. Returns whether one is running. */
export async function reloadWatch(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const running = await findWatch(environment)
  if (running) await callRpc(running.socket, "reload_policy")
  return running !== undefined
}
