import { lstatSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { dirname } from "node:path"
import { makeFolder } from "../disk/atomic-write.ts"
import { makePrivate as keepOthersOut, removeFromHome } from "../disk/home-files.ts"
import { streamLines } from "../disk/lines.ts"
import { codeOf } from "../disk/text-files.ts"
import { DreyError, exitCode } from "../errors.ts"
import { answerLine, type Methods, refuseLine } from "./protocol.ts"
import { isPipe } from "./socket.ts"

export type RpcListener = {
  /** Lets the process end although it listens. */
  unref(): void
  close(): Promise<void>
}

export const longestLine = 4 * 1024 * 1024
const mostClients = 200

/** Answers JSON-RPC on a socket that only this user can open. Many clients at once; each is answered in order. */
export async function listen(path: string, methods: Methods, warn: (message: string) => void): Promise<RpcListener> {
  const clients = new Set<Socket>()
  // Half open: a client that sends requests and closes its end still gets the answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    clients.add(socket)
    serve(socket, methods)
      .catch((error: unknown) => warn(`a caller was not answered: ${error instanceof Error ? error.message : error}`))
      .finally(() => {
        socket.destroySoon()
        clients.delete(socket)
      })
  })
  server.maxConnections = mostClients
  if (!isPipe(path)) {
    makePrivate(dirname(path))
    await removeStale(path)
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })
  if (!isPipe(path)) keepOthersOut(path) // until here the folder alone keeps others out
  return {
    unref: () => void server.unref(),
    async close() {
      const isClosed = new Promise((resolve) => server.close(resolve)) // removes the socket's file too
      for (const socket of clients) socket.destroySoon() // answers on their way still arrive
      const impatience = setTimeout(() => {
        for (const socket of clients) socket.destroy()
      }, 500)
      await isClosed
      clearTimeout(impatience)
    },
  }
}

/** The folder may already exist, and in a shared parent it may belong to another user. */
function makePrivate(folder: string): void {
  makeFolder(folder, 0o700)
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new DreyError(`${folder} cannot be used for a private socket: you do not own the folder`, {
      hint: "Set DREY_HOME to a folder of yours with a short path.",
    })
  if ((found.mode & 0o077) !== 0) keepOthersOut(folder, 0o700)
}

async function serve(socket: Socket, methods: Methods): Promise<void> {
  socket.on("error", () => {}) // the caller disconnected; its lines end with that
  try {
    for await (const line of streamLines(socket.iterator({ destroyOnReturn: false }), longestLine)) {
      const answer = line.kind === "line" ? await answerLine(line.text, methods) : refuseLine(longestLine)
      if (answer !== undefined) await send(socket, answer)
      if (line.kind === "too long" || socket.destroyed) return
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error // the system's error for a broken connection adds nothing
  }
}

/** Waits until the client reads it: a client that does not read gets no further answers, so they do not pile up in memory. */
function send(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => socket.write(`${text}\n`, () => resolve()))
}

/** Removes the socket of a killed process; a live one is left alone. */
async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isSocket()) throw new DreyError(`${path} exists and is not a socket`)
  if (await isAnswered(path))
    throw new DreyError(`Another process already answers at ${path}`, { exitCode: exitCode.no })
  removeFromHome(path)
}

/** Whether a process listens at this path. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })
}
