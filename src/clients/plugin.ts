import type { ClientId } from "../formats/client-events.ts"
import type { DreyCommand } from "./client-wiring.ts"
import {
  afterFailure,
  beforeTool,
  type HookClient,
  prompt,
  readEvents,
  sharedEvents,
  textForUser,
} from "./hook-event.ts"
import { textOf } from "./json-value.ts"

type PluginHooks = Pick<HookClient, "hears"> & {
  /** The part of a prompt that the user typed. */
  typedPart?: (text: string) => string
}

/**
 * The hooks of a client that has plugins instead: Drey's plugin sends each event as JSON: `session`, `cwd`, and either
 * `prompt`, or `tool` and `args`, or these with `error`. It receives `{ "text", "ask", "question" }`.
 */
export function pluginHooks(id: ClientId, { hears, typedPart = (text) => text }: PluginHooks): HookClient {
  return {
    id,
    hears,
    showsUser: false,
    read: readEvents(id, {
      "session-start": sharedEvents.SessionStart,
      prompt: (place, fields) => prompt(place, typedPart(textOf(fields.prompt) ?? "")),
      "before-compaction": sharedEvents.PreCompact,
      "before-tool": (place, { tool, args }) => beforeTool(place, tool, args),
      "after-failure": (place, { tool, args, error }) => afterFailure(place, tool, args, error),
      "turn-end": sharedEvents.Stop,
      "session-end": sharedEvents.SessionEnd,
    }),
    answer(_event, answer) {
      const isAsked = answer.kind === "warning" && answer.ask
      return JSON.stringify({ text: answer.text, ask: isAsked, ...(isAsked && { question: textForUser(answer.text) }) })
    },
  }
}

/** The beginning of a plugin's program: a function that asks Drey. */
export function pluginStart(id: ClientId, name: string, { command, args }: DreyCommand): string {
  return `// Written by "drey connect"; "drey disconnect" removes it. It asks Drey at ${name}'s hooks and never fails them.
import { spawn } from "node:child_process"

const program = ${JSON.stringify([command, ...args])}

/** Drey's answer to an event; empty if there is none, on any error, and after ten seconds. */
function ask(event, input) {
  return new Promise((resolve) => {
    let answer = ""
    const [file, ...args] = [...program, "hook", "${id}", event]
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"], timeout: 10_000 })
    child.stdout.on("data", (data) => {
      answer += data
    })
    child.on("error", () => resolve({}))
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer))
      } catch {
        resolve({})
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
  })
}
`
}
