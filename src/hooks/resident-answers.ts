import { isAbsolute } from "node:path"
import { findHookClient } from "../clients/hook-clients.ts"
import type { KeptIndexes } from "../recall/sync/kept-indexes.ts"
import { runHook } from "./run-hook.ts"

/** A hook of another process. */
export type ForeignHook = {
  client: string
  event: string
  input: unknown
  environment: NodeJS.ProcessEnv
  /** Of the hook's process. */
  cwd: string
}

/** Answers the hooks of other processes with search indexes that stay open. */
export type ResidentAnswers = {
  /** Undefined for a hook that must do its work itself. */
  answer(hook: ForeignHook): Promise<string | undefined>
  close(): Promise<void>
}

/** `program` is started in the background where a hook would start itself. */
export function openResidentAnswers(program: string): ResidentAnswers {
  let kept: KeptIndexes | undefined
  return {
    async answer({ client, event, input, environment, cwd }) {
      const { isQuestion, keepOpen } = await import("./fast-answer.ts")
      const prompt = readPrompt(client, event, input)
      if (!prompt || !isAbsolute(prompt.cwd)) return undefined
      if (prompt.cwd === process.cwd() && cwd !== prompt.cwd) return undefined // one without a folder means its own
      if (!(await isQuestion(prompt, environment))) return undefined // saved by the process that the client has started
      kept ??= keepOpen()
      return runHook({ client, event, readInput: async () => input, environment, program, kept })
    },
    async close() {
      await kept?.close()
    },
  }
}

function readPrompt(client: string, name: string, input: unknown) {
  const speaker = findHookClient(client, name, input)
  const event = speaker?.client.read(speaker.event, input)
  return event?.kind === "prompt" ? event : undefined
}
