import { spawn } from "node:child_process"
import type { ChangeEvent } from "../learning/change-feed.ts"

export type OnEntryOptions = {
  /** The program and its arguments, from the user's own settings: a repository must not choose what runs here. */
  command: readonly string[]
  environment: NodeJS.ProcessEnv
  warn: (message: string) => void
}

/** A program that never ends must not keep the others from running. */
const mostMs = 30_000
/** A merge may bring hundreds of entries at once. */
const mostWaiting = 50

/** Runs the user's command for each entry, one at a time, with the event as JSON on stdin: text from a repository is never an argument. */
export function openOnEntry({ command, environment, warn }: OnEntryOptions) {
  const [program = "", ...args] = command
  const told = new Set<string>()
  let waiting = 0
  let last: Promise<void> = Promise.resolve()
  const problem = (text: string) => {
    if (!told.has(text)) warn(`hooks.onEntry: ${text}`)
    told.add(text)
  }
  const run = (event: ChangeEvent) =>
    new Promise<void>((settle) => {
      const child = spawn(program, args, { env: environment, stdio: ["pipe", "ignore", "ignore"], timeout: mostMs })
      child.on("error", (error) => {
        problem(error.message)
        settle()
      })
      child.on("close", (code) => {
        if (code !== 0 && child.pid !== undefined)
          problem(`${program} ended with ${code === null ? "a signal" : `code ${code}`}`)
        settle()
      })
      child.stdin.on("error", () => {}) // it may end without reading its input
      child.stdin.end(`${JSON.stringify(event)}\n`)
    })
  return {
    tell(event: ChangeEvent): void {
      if (waiting >= mostWaiting) {
        problem(`more than ${mostWaiting} entries at once; the others were left out`)
        return
      }
      waiting++
      last = last.then(() => run(event)).finally(() => waiting--)
    },
    /** Resolves when the last one has run. */
    end: () => last,
  }
}
