import type { Readable, Writable } from "node:stream"
import type { RunningProgram } from "../clients/connect/connections.ts"
import { streamLines } from "../disk/lines.ts"
import { openDrey } from "../drey.ts"
import type { ChangeEvent } from "../learning/change-feed.ts"
import { editorMethods } from "./editor-methods.ts"
import { longestLine } from "./listener.ts"
import { allMethods } from "./methods.ts"
import { openProjects } from "./project-pool.ts"
import { answerLine, refuseLine } from "./protocol.ts"
import { followChanges } from "./watch-process.ts"

export type StdioRun = {
  root?: string | undefined
  environment: NodeJS.ProcessEnv
  pollMs: number
  /** Stops it, as does the end of the input. */
  signal: AbortSignal
  /** Default: the process's own. */
  input?: Readable
  output?: Writable
  program: RunningProgram
  warn: (message: string) => void
}

/** Several requests at once: a search does not wait for a slow check. More would only wait for the same files. */
const mostOpen = 4

/**
 * Serves the program that started this process, an editor, until it closes the input: the methods of the socket, those for editors, and a
 * notification `changed` for whatever any process adds, changes or ends. It learns nothing; that is for the watch.
 */
export async function serveStreams({ root, environment, pollMs, signal, program, warn, ...streams }: StdioRun) {
  const { input = process.stdin, output = process.stdout } = streams
  output.removeAllListeners("error") // the CLI would exit at once, with requests half done
  const drey = openDrey({ environment, warn, ...(root === undefined ? {} : { root }) })
  const learning = drey.memories
  const projects = openProjects({ listed: learning.transcripts.projects, environment, warn, automatic: false })
  const stopping = new AbortController()
  const stop = () => {
    stopping.abort()
    input.destroy()
  }
  signal.addEventListener("abort", stop, { once: true })
  const state = { pid: process.pid, socket: "", started: new Date().toISOString() }
  const methods = {
    ...allMethods({ projects, drey, learning, state, stop }),
    ...editorMethods({ projects, program }),
  }
  let isGone = false
  output.on("error", () => {
    isGone = true // the editor has exited; what it asked for is completed all the same
    stop()
  })
  const send = (line: string) =>
    new Promise<void>((resolve) => (isGone ? resolve() : output.write(`${line}\n`, () => resolve())))
  const onChange = (params: ChangeEvent) => void send(JSON.stringify({ jsonrpc: "2.0", method: "changed", params }))
  await learning.transcripts.projects() // registers this one: what is new in it is reported from now on
  const changes = followChanges(await learning.transcripts.changes(), { pollMs, onChange, warn })
  await changes.look() // what is there already is no change
  const open = new Set<Promise<void>>()
  try {
    for await (const line of streamLines(input, longestLine)) {
      const work = (async () => {
        const answer = line.kind === "line" ? await answerLine(line.text, methods) : refuseLine(longestLine)
        if (answer !== undefined) await send(answer)
      })().finally(() => open.delete(work))
      open.add(work)
      if (open.size >= mostOpen) await Promise.race(open)
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  } finally {
    await Promise.all(open)
    await changes.end()
    await projects.close()
    await drey.close()
  }
}
