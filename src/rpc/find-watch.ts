import { existsSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { withLockIfFree } from "../disk/lock.ts"
import { isRecord, parseJson } from "../disk/parse-json.ts"
import { readTextFile } from "../disk/read-text-file.ts"
import { DreyError, exitCode } from "../errors.ts"
import { callRpc } from "./call-rpc.ts"
import type { ServiceState } from "./service-methods.ts"
import { type WatchPlace, watchPlaceOf } from "./watch-place.ts"

export type RunningWatch = ServiceState & { projects: { id: string; root: string }[]; paused: unknown }

/** The user's running watch, according to its own answer; undefined if none answers. */
export async function findWatch(environment: NodeJS.ProcessEnv): Promise<RunningWatch | undefined> {
  const place = watchPlaceOf(environment)
  try {
    return (await callRpc(readState(place)?.socket ?? place.socket, "status", {}, { timeoutMs: 5000 })) as RunningWatch
  } catch (error) {
    if (error instanceof DreyError) return undefined
    throw error
  }
}

/** Stops the running watch: asks it first, then kills it. Undefined if none was running. */
export async function stopWatch(environment: NodeJS.ProcessEnv): Promise<{ pid: number | undefined } | undefined> {
  const place = watchPlaceOf(environment)
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
      () => false, // it does not listen, or it is gone: the lock tells
    )
    if (isTaken ? await isFreeSoon(place) : await isFree(place)) return { pid: state?.pid }
  }
  throw new DreyError("The watch could not be stopped", { exitCode: exitCode.no })
}

const patienceMs = 15_000

/** The lock is free once the process has released everything. */
async function isFreeSoon(place: WatchPlace): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    if (await isFree(place)) return true
    if (performance.now() > deadline) return false
    await pause(50)
  }
}

async function isFree({ lock }: WatchPlace): Promise<boolean> {
  return (await withLockIfFree(lock, () => undefined)).kind === "done"
}

function readState({ record }: WatchPlace): ServiceState | undefined {
  if (!existsSync(record)) return undefined
  const state = parseJson(readTextFile(record).text, record)
  const isState = isRecord(state) && typeof state.pid === "number" && typeof state.socket === "string"
  return isState ? (state as ServiceState) : undefined
}
