import { actionOfTool } from "./action-of-tool.ts"
import type { ClientId } from "./client.ts"
import { cutMiddle } from "./cut-middle.ts"
import { commandsOf, filesOf } from "./describe-input.ts"
import { type JsonObject, objectOf, parseObject, textsOf } from "./json-value.ts"
import { isOwnCommand, isOwnTool } from "./own-tools.ts"
import { stripInjected } from "./strip-injected.ts"
import type { Action, TranscriptEvent } from "./transcript-event.ts"

/** When and where something happened, and what names its record: unique within its client. */
export type Told = {
  id: string
  ts: string
  /** Where a file holds several. */
  session?: string | undefined
  line?: number
  cwd?: string | undefined
  branch?: string | undefined
}

export type EventCollector = {
  say(message: Told & { role: "user" | "assistant"; text: string }): void
  call(call: Told & { call: string; tool: string; server?: string | undefined; input: JsonObject }): void
  answer(answer: Told & Answer): void
  mark(mark: Told & { mark: NonNullable<TranscriptEvent["mark"]> }): void
  /**
   * The tool of a call that has no result yet; that of a server is told apart from the client's own of the same name.
   */
  toolOf(call: string): string | undefined
  /** The person stopped the agent. */
  interrupt(interruption: Told): void
  /** Text that is told by nobody, but may hold one of our contexts. */
  overhear(text: string): void
  /** What came together since the last time. */
  take(): TranscriptEvent[]
  /** What a later reading of the same session must know, as JSON. */
  carry(): string
}

type Answer = {
  call: string
  text: string
  /** Where the answer knows better than the call: of a command that was left running. */
  command?: string | undefined
  isError?: boolean | undefined
  exitCode?: number | undefined
  incident?: "refused" | "interrupted" | undefined
}

/** A result may never come: after so many further calls, and contexts, they are forgotten. */
const mostOpenCalls = 200
const mostKnown = 50

type OpenCall = { tool: string; server?: string; action: Action; command?: string; isOwn: boolean }

/**
 * Gathers the events of one session, in the order in which they are told. What came from Drey itself is left out on the
 * way in.
 */
export function collectEvents(client: ClientId, session: string, carried = ""): EventCollector {
  const before = parseObject(carried) ?? {}
  let events: TranscriptEvent[] = []
  let contexts = textsOf(before.contexts)
  let known = textsOf(before.known)
  /**
   * The last event was a call that ended because the person stopped the agent: that this is told once more is the same
   * stop.
   */
  let isStopped = before.isStopped === true
  let stage = before.stage === "ours" || before.stage === "begun" ? before.stage : "new"
  const calls = new Map<string, OpenCall>(Object.entries(objectOf(before.calls) ?? {}).map(toCall))

  const overhear = (text: string): string => {
    const stripped = stripInjected(text)
    const fresh = stripped.contexts.filter((context) => !known.includes(context)) // clients log the same text in several places
    known = [...known, ...fresh].slice(-mostKnown)
    contexts.push(...fresh)
    return stripped.text.trim()
  }
  const tell = (told: Told, event: Pick<TranscriptEvent, "role" | "kind" | "text"> & Partial<TranscriptEvent>) => {
    if (stage === "ours") return
    isStopped = event.kind === "tool_result" && event.incident === "interrupted"
    const { id, ts, line = 0, cwd, branch } = told
    events.push({
      id: `${client}:${id}`,
      session: told.session ?? session,
      ts,
      line,
      ...event,
      ...(cwd === undefined ? {} : { cwd }),
      ...(branch === undefined ? {} : { branch }),
      ...(contexts.length === 0 ? {} : { contexts }),
    })
    contexts = []
  }

  return {
    say(message) {
      const { role } = message
      const text = overhear(message.text)
      if (stage === "new" && role === "user") stage = text.startsWith(writerMark) ? "ours" : "begun"
      if (text === "") return
      const cites = role === "assistant" ? citesIn(text) : []
      tell(message, {
        role,
        kind: "message",
        text: cutMiddle(text),
        ...(cites.length === 0 ? {} : { cites }),
      })
    },
    call(call) {
      const { tool, server, input } = call
      const action = actionOfTool(tool)
      const command = action === "run" ? cutMiddle(commandsOf(input).join("\n")) : ""
      const isOwn = isOwnTool(tool, server) || isOwnCommand(command)
      const isServers = server === undefined ? {} : { server }
      calls.set(call.call, { tool, ...isServers, action, ...(command === "" ? {} : { command }), isOwn })
      const [oldest = ""] = calls.keys()
      if (calls.size > mostOpenCalls) calls.delete(oldest)
      if (isOwn) return
      const files = action === "run" ? [] : filesOf(input)
      tell(call, {
        role: "assistant",
        kind: "tool_call",
        text: "",
        tool,
        action,
        call: call.call,
        ...(command === "" ? {} : { command }),
        ...(files.length === 0 ? {} : { files }),
      })
    },
    answer(answer) {
      const call = calls.get(answer.call) ?? { tool: "unknown", action: "other", isOwn: false }
      calls.delete(answer.call)
      const text = overhear(answer.text)
      if (call.isOwn) return
      const { isError, exitCode, incident, command = call.command } = answer
      tell(answer, {
        role: "tool",
        kind: "tool_result",
        text: cutMiddle(text),
        tool: call.tool,
        action: call.action,
        call: answer.call,
        ...(command === undefined ? {} : { command }),
        ...(isError !== undefined && incident === undefined ? { isError } : {}),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(incident === undefined ? {} : { incident }),
      })
    },
    toolOf(id) {
      const call = calls.get(id)
      return call?.server === undefined ? call?.tool : `${call.server}/${call.tool}`
    },
    mark: (mark) => tell(mark, { role: "user", kind: "mark", text: "", mark: mark.mark }),
    interrupt(interruption) {
      if (!isStopped) tell(interruption, { role: "user", kind: "mark", text: "", incident: "interrupted" })
      isStopped = false
    },
    overhear,
    take() {
      const taken = events
      events = []
      return taken
    },
    carry: () => JSON.stringify({ stage, contexts, known, isStopped, calls: Object.fromEntries(calls) }),
  }
}

/** The first words of the prompts with which Drey itself asks a coding agent: such a session is our own work. */
const writerMark = "<drey-writer"

function citesIn(text: string): string[] {
  return [...new Set(text.match(/(?<![\w:/.-])m:[0-9a-f]{6}(?![\w-])/g))]
}

function toCall([call, value]: [string, unknown]): [string, OpenCall] {
  return [call, value as OpenCall]
}
