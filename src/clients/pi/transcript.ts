import { basename, join } from "node:path"
import type { SubAgent } from "../../formats/client-events.ts"
import type { Client, Machine } from "../client.ts"
import { cutToLast, stripInjected } from "../injected-text.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { subAgentName } from "../sub-agent.ts"
import { findFiles } from "../transcripts/client-files.ts"
import { collectEvents, type RecordHeader } from "../transcripts/event-collector.ts"
import { type LineFormat, type LineReader, readLines } from "../transcripts/line-files.ts"

/** Pi's records: a header, then entries of which most are messages of the user, the model or a tool. */
const piLines: LineFormat = {
  isIdle: (line) => idleBeginning.test(line.toString("latin1", 0, 40)),
  open: ({ path }, carried) => openPiReader(nameOf(path), parseObject(carried) ?? {}),
}

const idleBeginning = /^\{"type":"(?:model_change|thinking_level_change|session_info|label|custom)",/

/** The session of a file, from its header. `isAgents`: a sub-agent's, whose user is the agent that started it. */
type PiSession = {
  id: string
  cwd?: string | undefined
  began: string
  isForked: boolean
  parent?: string | undefined
  isAgents?: boolean | undefined
  agent?: SubAgent | undefined
}

/** Files are named `<time>_<session>.jsonl`. */
function nameOf(path: string): string {
  return basename(path, ".jsonl").replace(/^[\dTZ-]{20,30}_/, "")
}

function openPiReader(name: string, before: JsonObject): LineReader {
  const session: PiSession = { id: name, began: "", isForked: false, ...objectOf(before.session) }
  const collector = collectEvents("pi", session.id, textOf(before.events))

  const tellers: Record<string, (message: JsonObject, told: RecordHeader) => void> = {
    user(message, told) {
      const text = textIn(message.content)
      session.isAgents ??= isTask(text, told, session)
      if (!session.isAgents) collector.say({ ...told, role: "user", text: typedPart(text) })
      else if (session.agent === undefined && session.parent !== undefined) {
        const name = subAgentName({ task: text.replace(/^Task:\s*(?:\[Read from:[^\]]*\]\s*)?/, "") })
        session.agent = { parent: session.parent, ...(name === undefined ? {} : { name }) }
      }
      if (session.agent) collector.say({ ...told, agent: session.agent, role: "assistant", text })
    },
    assistant(message, told) {
      for (const [index, block] of objectsOf(message.content).entries()) {
        const here = { ...told, id: `${told.id}:${index}` }
        if (block.type === "text") collector.say({ ...here, role: "assistant", text: textOf(block.text) ?? "" })
        if (block.type === "toolCall")
          collector.call({
            ...here,
            call: textOf(block.id) ?? here.id,
            tool: textOf(block.name) ?? "unknown",
            input: objectOf(block.arguments) ?? {},
          })
      }
      if (message.stopReason === "aborted") collector.interrupt({ ...told, id: `${told.id}:aborted` })
    },
    toolResult(message, told) {
      collector.overhear(textIn(message.content)) // Drey's extension adds its advice after the output
      const outcome = outcomeOf(message)
      if (outcome) collector.answer({ ...told, call: textOf(message.toolCallId) ?? told.id, ...outcome })
    },
    bashExecution(message, told) {
      const input = { command: message.command }
      collector.call({ ...told, call: told.id, tool: "bash", input })
      collector.answer({
        ...told,
        id: `${told.id}:result`,
        call: told.id,
        text: textOf(message.output) ?? "",
        exitCode: numberOf(message.exitCode),
        incident: message.cancelled === true ? "interrupted" : undefined,
      })
    },
    custom: (message) => collector.overhear(textIn(message.content)),
    hookMessage: (message) => collector.overhear(textIn(message.content)),
  }

  return {
    take(record, line) {
      const kind = textOf(record.type) ?? "untyped"
      if (kind === "session") Object.assign(session, headerOf(record, name))
      const told = {
        // Only eight digits, so they repeat between sessions; with the time they identify the copies in forks alone.
        id: record.id === undefined ? `${session.id}:${line}` : `${textOf(record.id)}:${textOf(record.timestamp)}`,
        session: session.id,
        ts: isoTime(record.timestamp),
        line,
        cwd: session.cwd,
        agent: session.agent,
      }
      if ((session.isAgents && session.agent === undefined) || kind === "session") return []
      if (kind === "custom_message") collector.overhear(textIn(record.content))
      if (kind === "compaction") collector.mark({ ...told, mark: "compacted" })
      if (kind !== "message") return knownKinds.has(kind) ? collector.take() : { unknown: kind }
      const message = objectOf(record.message) ?? {}
      const role = textOf(message.role) ?? "untyped"
      const tell = Object.hasOwn(tellers, role) ? tellers[role] : undefined
      tell?.(message, told)
      return tell || knownKinds.has(role) ? collector.take() : { unknown: `message/${role}` }
    },
    carry: () => JSON.stringify({ session, events: collector.carry() }),
  }
}

const knownKinds = new Set(
  `session model_change thinking_level_change session_info label custom custom_message compaction branch_summary
  branchSummary compactionSummary`.split(/\s+/),
)

function headerOf(record: JsonObject, name: string): PiSession {
  return {
    id: textOf(record.id) ?? name,
    cwd: textOf(record.cwd),
    began: isoTime(record.timestamp),
    isForked: record.parentSession !== undefined || record.branchedFrom !== undefined,
    parent: parentIn(record),
  }
}

/** The parent's id, from the path of its file. */
function parentIn({ parentSession }: JsonObject): string | undefined {
  const path = textOf(parentSession)
  return path === undefined ? undefined : nameOf(path.replaceAll("\\", "/"))
}

/** The first message that a forked session adds is a sub-agent's task, or the user's own; undefined for one repeated from its parent. */
function isTask(text: string, { ts }: RecordHeader, { isForked, began }: PiSession): boolean | undefined {
  if (/^Task: \[Read from:/.test(text)) return true
  if (isForked && ts !== "" && ts < began) return undefined
  return isForked && /^Task:\s/.test(text)
}

/** The user's own part: `/skill:name words` may stand as typed, or with the skill's text in place of the name. */
export function typedPart(text: string): string {
  if (!text.startsWith("<skill ")) return text.replace(/^\/skill:[\w-]{1,64}\s*/, "")
  return cutToLast(text, { open: "<skill ", close: "</skill>" })
}

/** Undefined when it is unknown: an extension refused the call, and its reason is not the command's output. */
function outcomeOf(message: JsonObject) {
  const { text } = stripInjected(textIn(message.content))
  const isError = message.isError === true
  if (message.toolName !== "bash" || !isError) return { text, isError }
  const ending = exitLine.exec(text.slice(-200))
  if (ending === null) return undefined
  const output = text.slice(0, -ending[0].length)
  if (ending[2] === "aborted") return { text: output, incident: "interrupted" as const }
  return { text: output, isError, ...(ending[1] === undefined ? {} : { exitCode: Number(ending[1]) }) }
}

const exitLine =
  /(?:^|\n)Command (?:exited with code (-?\d{1,9})|(aborted|timed out after [\d.]{1,12} seconds))\s{0,9}$/

function textIn(content: unknown): string {
  if (typeof content === "string") return content
  return objectsOf(content)
    .flatMap((part) => (part.type === "text" ? (textOf(part.text) ?? []) : []))
    .join("\n")
}

/** Sessions are `sessions/--<directory>--/<time>_<session>.jsonl`. */
export const pi: Client = {
  id: "pi",
  name: "Pi",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "pi", path })),
  recognises: (path, beginning) => path.endsWith(".jsonl") && isHeader(beginning.slice(0, beginning.indexOf("\n"))),
  read: (transcript, from) => readLines(transcript, from, piLines),
}

function isHeader(line: string): boolean {
  const { type, id, cwd, timestamp } = parseObject(line) ?? {}
  return type === "session" && [id, cwd, timestamp].every((value) => textOf(value) !== undefined)
}

function findSessions({ home, environment }: Machine): string[] {
  const folder =
    environment.PI_CODING_AGENT_SESSION_DIR ||
    join(environment.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"), "sessions")
  return findFiles(folder, 2, (name) => name.endsWith(".jsonl"))
}
