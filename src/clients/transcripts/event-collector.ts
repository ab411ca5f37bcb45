import type { ClientId, SubAgent, ToolAction, TranscriptEvent } from "../../formats/client-events.ts"
import { longestText } from "../client.ts"
import { stripInjected } from "../injected-text.ts"
import { type JsonObject, objectOf, objectsOf, parseObject, textOf, textsOf } from "../json-value.ts"
import { commandsOf, filesOf, isOwnCommand, isOwnTool, planOf, toolAction } from "../tool-calls.ts"

/** The header of a record: id (unique within its client), time and place. */
export type RecordHeader = {
  id: string
  ts: string
  /** If a file contains several sessions. */
  session?: string | undefined
  /** If a sub-agent did it. */
  agent?: SubAgent | undefined
  line?: number
  cwd?: string | undefined
  branch?: string | undefined
}

export type EventCollector = {
  say(message: RecordHeader & { role: "user" | "assistant"; text: string }): void
  call(call: RecordHeader & { call: string; tool: string; server?: string | undefined; input: JsonObject }): void
  answer(answer: RecordHeader & Answer): void
  mark(mark: RecordHeader & { mark: NonNullable<TranscriptEvent["mark"]> }): void
  /** The tool of a call without a result; a server's tool is prefixed with the server's name. */
  toolOf(call: string): string | undefined
  /** The user stopped the agent. */
  interrupt(interruption: RecordHeader): void
  /** Scans text that is no event of its own for one of our contexts. */
  overhear(text: string): void
  /** The events since the last call. */
  take(): TranscriptEvent[]
  /** State for a later reading of the same session, as JSON. */
  carry(): string
}

type Answer = {
  call: string
  text: string
  /** If the result knows the command better than the call: for a background command. */
  command?: string | undefined
  isError?: boolean | undefined
  exitCode?: number | undefined
  incident?: "refused" | "interrupted" | undefined
}

/** A result may never arrive: open calls, and known contexts, are dropped after so many. */
const mostOpenCalls = 200
const mostKnown = 50

type OpenCall = Pick<TranscriptEvent, "command" | "files" | "escalated"> & {
  tool: string
  server?: string
  action: ToolAction
  /** What a question tool asks, by its id or the question itself. */
  questions?: Record<string, string>
  isOwn: boolean
}

/** Collects the events of one session in order. Drey's own calls and text are left out. */
export function collectEvents(client: ClientId, session: string, carried = ""): EventCollector {
  const before = parseObject(carried) ?? {}
  let events: TranscriptEvent[] = []
  let contexts = textsOf(before.contexts)
  let known = textsOf(before.known)
  /**
   * The last event was a call that ended because the user stopped the agent: a following interruption is the same stop.
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
  const tell = (
    told: RecordHeader,
    event: Pick<TranscriptEvent, "role" | "kind" | "text"> & Partial<TranscriptEvent>,
  ) => {
    if (stage === "ours") return
    isStopped = event.kind === "tool_result" && event.incident === "interrupted"
    const { id, ts, line = 0, cwd, branch, agent } = told
    events.push({
      id: `${client}:${id}`,
      session: told.session ?? session,
      ...(agent === undefined ? {} : { agent }),
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
      const action = toolAction(tool)
      const command = action === "run" ? cutMiddle(commandsOf(input).join("\n")) : ""
      const isOwn = isOwnTool(tool, server) || isOwnCommand(command)
      const isServers = server === undefined ? {} : { server }
      const files = action === "run" ? [] : filesOf(input)
      const details = {
        ...(command === "" ? {} : { command }),
        ...(files.length === 0 ? {} : { files }),
        ...(isEscalated(input) ? { escalated: true as const } : {}),
      }
      const asked = isQuestionTool(tool) && server === undefined ? { questions: questionsOf(input) } : {}
      calls.set(call.call, { tool, ...isServers, action, ...details, isOwn, ...asked })
      const [oldest = ""] = calls.keys()
      if (calls.size > mostOpenCalls) calls.delete(oldest)
      if (isOwn) return
      const plan = planOf(tool, input)
      tell(call, {
        role: "assistant",
        kind: "tool_call",
        text: "",
        tool,
        action,
        call: call.call,
        ...details,
        ...(plan === undefined ? {} : { plan }),
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
        ...(call.files === undefined ? {} : { files: call.files }),
        ...(call.escalated === undefined ? {} : { escalated: call.escalated }),
        ...(isError !== undefined && incident === undefined ? { isError } : {}),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(incident === undefined ? {} : { incident }),
      })
      if (call.questions === undefined || isError === true || incident !== undefined) return
      const said = answersIn(text, call.questions)
      if (said !== "")
        tell({ ...answer, id: `${answer.id}:answer` }, { role: "user", kind: "message", text: cutMiddle(said) })
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

/** Codex asks the user to run a command outside of its sandbox. */
function isEscalated({ sandbox_permissions, with_escalated_permissions }: JsonObject): boolean {
  return sandbox_permissions === "require_escalated" || with_escalated_permissions === true
}

/** Tools of clients that put a question to the user; a server's tool of the same name may answer itself. */
function isQuestionTool(tool: string): boolean {
  return /^(?:AskUserQuestion|request_user_input|ask_user|question)$/i.test(tool)
}

function questionsOf({ questions, question }: JsonObject): Record<string, string> {
  const single = textOf(question)
  if (single !== undefined) return { "": single }
  return Object.fromEntries(
    objectsOf(questions).flatMap((each) => {
      const text = textOf(each.question)
      return text === undefined ? [] : [[textOf(each.id) ?? text, text]]
    }),
  )
}

/** Each question with the user's answer on the next line, from the format in which a client returns them. */
function answersIn(output: string, questions: Record<string, string>): string {
  const structured = objectOf(parseObject(output)?.answers)
  const pairs =
    structured === undefined
      ? answersInText(output, questions)
      : Object.entries(structured).map(([id, given]): [string, string] => [
          questions[id] ?? id,
          typeof given === "string" ? given : textsOf(objectOf(given)?.answers ?? given).join(", "),
        ])
  return pairs
    .filter(([, answer]) => answer !== "")
    .map(([question, answer]) => `${question}\n${answer}`)
    .join("\n\n")
}

function answersInText(output: string, questions: Record<string, string>): [string, string][] {
  const told = Object.values(questions).flatMap((question): [string, string][] => {
    const at = output.indexOf(`"${question}"="`)
    const rest = at < 0 ? undefined : output.slice(at + question.length + 4)
    return rest === undefined ? [] : [[question, rest.slice(0, endOfAnswer(rest))]]
  })
  const [question = ""] = Object.values(questions)
  const plain = /^User (?:selected|responded|answered|said)(?: with)?: ?([\s\S]+)$/.exec(output)?.[1]
  return told.length > 0 || plain === undefined ? told : [[question, plain.trim()]]
}

/** Up to the next question, or to what the client adds. */
function endOfAnswer(text: string): number {
  const end = text.search(/", "|"\. You can now continue|"[^"]*$/)
  return end < 0 ? text.length : end
}

/** The start of Drey's own prompts to a coding agent: such a session is not the user's work. */
const writerMark = "<drey-writer"

function citesIn(text: string): string[] {
  return [...new Set(text.match(/(?<![\w:/.-])m:[0-9a-f]{6}(?![\w-])/g))]
}

function toCall([call, value]: [string, unknown]): [string, OpenCall] {
  return [call, value as OpenCall]
}

const gap = "\n[…]\n"
const beginning = Math.floor(longestText * 0.6)
const end = longestText - beginning - gap.length

/**
 * The beginning and end of a long text, at most `longestText` together: outputs show there what ran and how it ended.
 */
export function cutMiddle(text: string): string {
  if (text.length <= longestText) return text
  return text.slice(0, wholeBefore(text, beginning)) + gap + text.slice(wholeAfter(text, text.length - end))
}

/** The same offset or one before it, so that no character is split. */
function wholeBefore(text: string, at: number): number {
  return isTorn(text, at) ? at - 1 : at
}

function wholeAfter(text: string, at: number): number {
  return isTorn(text, at) ? at + 1 : at
}

function isTorn(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff)
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last
}

/** The result of reading a whole transcript. */
export type TranscriptReading = { events: TranscriptEvent[]; records: number; unknown: Record<string, number> }

export function countUnknown(unknown: Record<string, number>, kind: string, times = 1): void {
  unknown[kind] = (unknown[kind] ?? 0) + times
}

export function joinReadings(accounts: TranscriptReading[]): TranscriptReading {
  const unknown: Record<string, number> = {}
  for (const account of accounts)
    for (const [kind, times] of Object.entries(account.unknown)) countUnknown(unknown, kind, times)
  return {
    events: accounts.flatMap(({ events }) => events),
    records: accounts.reduce((sum, { records }) => sum + records, 0),
    unknown,
  }
}
