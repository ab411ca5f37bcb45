import { existsSync, lstatSync } from "node:fs"
import { dreyHome } from "../config.ts"
import { removeFromHome, renameInHome } from "../disk/home-files.ts"
import { isRecord } from "../formats/objects.ts"
import { hookVariables, thisProgram } from "./ask-resident.ts"
import { isAnswered, listen, type RpcListener } from "./listener.ts"
import { RpcError, rpcCodes } from "./protocol.ts"
import { isPipe, socketPathOf } from "./socket.ts"

/** What a hook hands to a resident process. Of the environment only `hookVariables` are sent. */
export type HookRequest = {
  client: string
  event: string
  input: unknown
  environment: NodeJS.ProcessEnv
  cwd: string
}

/** `cold`: the hook must do this itself. */
export type HookReply = { kind: "answered"; output: string } | { kind: "cold" }

export type ResidentOptions = {
  environment: NodeJS.ProcessEnv
  /** Hooks of another program are not answered. */
  version?: string
  /** Undefined for a hook that must do its work itself. */
  answer: (request: HookRequest) => Promise<string | undefined>
}

export type Resident = {
  /** Settles when this process answers, or has found that another one does. */
  ready: Promise<void>
  close(): Promise<void>
}

const lookAgainMs = 20_000

/**
 * Answers the hooks of this user, of which each would otherwise load the program and open the search index by itself,
 * while this process runs for another purpose. One process for each Drey home answers: the first to find that none does.
 * It never keeps the process from ending. Where it cannot listen, hooks answer by themselves, as they do without it.
 */
export function answerHooks(options: ResidentOptions): Resident {
  const path = socketPathOf(options.environment, process.platform, "hooks")
  const version = options.version ?? thisProgram() // now: the file may be another by the time it takes over
  let own: { listener: RpcListener; inode: number | undefined } | undefined
  const isOwn = () => own !== undefined && own.inode === inodeOf(path)
  const leave = async () => {
    const left = own
    if (left && !isPipe(path) && isOwn()) removeFromHome(path)
    own = undefined
    await left?.listener.close()
  }
  let isClosing = false
  const look = async () => {
    if (isOwn()) return
    if (await isAnswered(path)) return leave() // another process answers
    await leave()
    const isGone = !existsSync(dreyHome(options.environment)) // nothing to answer from; a removed home stays removed
    if (!isClosing && !isGone) own = await takeOver(path, { ...options, version })
  }
  let looking = Promise.resolve()
  const lookWhenIdle = () => {
    looking = looking.then(look).catch(() => {}) // an unusable folder: hooks answer by themselves
  }
  const timer = setInterval(lookWhenIdle, lookAgainMs).unref()
  lookWhenIdle()
  const removeAtExit = () => {
    if (!isPipe(path) && isOwn()) removeFromHome(path)
  }
  process.once("exit", removeAtExit)
  return {
    ready: looking,
    async close() {
      isClosing = true
      clearInterval(timer)
      process.off("exit", removeAtExit)
      await looking
      await leave()
    },
  }
}

/** Listens beside the place and then moves the socket there, so that no other process's socket is removed by mistake. */
async function takeOver(path: string, { environment, version, answer }: ResidentOptions & { version: string }) {
  const methods = {
    version: async () => version,
    hook: async (params: Record<string, unknown>): Promise<HookReply> => {
      if (params.version !== version) throw new RpcError(rpcCodes.refused, "another version of Drey")
      const request = params as unknown as HookRequest // written by a hook of this very program
      const output = await answer({ ...request, environment: environmentOf(params.environment, environment) })
      return output === undefined ? { kind: "cold" } : { kind: "answered", output }
    },
  }
  const beside = isPipe(path) ? path : path.replace(/\.sock$/, `-${process.pid}.sock`)
  const listener = await listen(beside, methods, () => {}) // a hook that went away has answered by itself
  listener.unref()
  if (beside !== path) renameInHome(beside, path)
  return { listener, inode: inodeOf(path) }
}

/** This process's own, with the variables of the hook in place of its own. */
function environmentOf(sent: unknown, own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const environment = { ...own }
  for (const name of hookVariables) {
    const value = isRecord(sent) ? sent[name] : undefined
    if (typeof value === "string") environment[name] = value
    else delete environment[name]
  }
  return environment
}

function inodeOf(path: string): number | undefined {
  return isPipe(path) ? undefined : lstatSync(path, { throwIfNoEntry: false })?.ino
}
