import { lstatSync, statSync } from "node:fs"
import { connect } from "node:net"
import { dirname, resolve } from "node:path"
import { whyNotPrivate } from "../disk/home-files.ts"
import type { HookReply, HookRequest } from "./resident.ts"
import { isPipe, socketPathOf } from "./socket.ts"

/** A process that does not name its version within this time is busy: the hook is faster by itself. */
const patienceMs = 100

/**
 * A process that has accepted a prompt replies within the hook's own time. After a little more it is stuck, and the hook has to do its work
 * before the client ends it, after ten seconds.
 */
const promptMs = 4000
const graceMs = 500

/**
 * The variables of a hook's process that its answer depends on. The process that answers takes no others from it: they would decide what
 * the processes run that it starts, and an agent in a sandbox may reach the socket.
 */
export const hookVariables = ["DREY_TEAM_ROOT", "SQUAD_TEAM_ROOT", "DREY_HOOK_MS", "DREY_USER"] as const

declare const DREY_VERSION: string // replaced by the build

/** Names this program: a process that still runs what was installed before must not answer for it. */
export function thisProgram(): string {
  const file = statSync(process.argv[1] ?? "", { throwIfNoEntry: false })
  return `${typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0"} ${file?.mtimeMs} ${file?.size}`
}

/**
 * Has a hook answered by a process that runs for another purpose; undefined where there is none, none of this version, or none that only this
 * user can reach, and where the hook must do its work itself. Nothing was done then.
 */
export async function askResident(request: HookRequest, version = thisProgram()): Promise<string | undefined> {
  const { environment } = request
  if (environment.DREY_RESIDENT === "off") return undefined
  const path = socketPathOf(environment, process.platform, "hooks")
  if (!isOwn(path)) return undefined
  const line = openLine(path) // errors only close it: the hook then does its work, and reports what is wrong with that
  try {
    if ((await line.ask("version", {}, patienceMs)) !== version) return undefined
    const longestMs = (Number(environment.DREY_HOOK_MS) || promptMs) + graceMs
    const given = { ...request, environment: variablesIn(environment), version }
    const reply = (await line.ask("hook", given, longestMs)) as HookReply | undefined
    return reply?.kind === "answered" ? reply.output : undefined
  } finally {
    line.close()
  }
}

/** Folders as they are meant here: the other process runs in another one. */
function variablesIn(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = hookVariables.flatMap((name): [string, string][] => {
    const value = environment[name]
    return value === undefined ? [] : [[name, name.endsWith("_ROOT") ? resolve(value) : value]]
  })
  return Object.fromEntries(given)
}

/** Another user may have made a socket there first, to read what agents are asked: only one in a private folder of this user is used. */
function isOwn(path: string): boolean {
  if (isPipe(path)) return true
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSocket() === true && found.uid === process.getuid?.() && whyNotPrivate(dirname(path)) === undefined
}

/** One request after the other; undefined for an error, a closed connection, or an answer that takes too long. */
function openLine(path: string) {
  const socket = connect(path)
  let received = ""
  let settle: (line: string | undefined) => void = () => {}
  let isClosed = false
  const end = () => {
    isClosed = true
    settle(undefined)
  }
  socket.setEncoding("utf8")
  socket.on("error", end).on("close", end)
  socket.on("data", (text: string) => {
    received += text
    const lineEnd = received.indexOf("\n")
    if (lineEnd < 0) return
    settle(received.slice(0, lineEnd))
    received = received.slice(lineEnd + 1)
  })
  return {
    async ask(method: string, params: object, ms: number): Promise<unknown> {
      if (isClosed) return undefined
      const answered = new Promise<string | undefined>((resolve) => {
        settle = resolve
      })
      const timer = setTimeout(end, ms)
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`)
      const text = await answered
      clearTimeout(timer)
      return text === undefined ? undefined : (JSON.parse(text) as { result?: unknown }).result
    },
    close: () => void socket.destroy(),
  }
}
