import { basename, dirname, join } from "node:path"
import type { Client, Machine } from "../client.ts"
import { isoTime, type JsonObject, numberOf, objectOf, parseObject, textOf, textsOf } from "../json-value.ts"
import { findFiles } from "../transcripts/client-files.ts"
import { collectEvents } from "../transcripts/event-collector.ts"
import { type LineFormat, type LineReader, readLines } from "../transcripts/line-files.ts"

/** Copilot's records: events in order, each with the name of its kind. */
const copilotLines: LineFormat = {
  isIdle: (line) => idleBeginning.test(line.toString("latin1", 0, 60)) && !line.includes("<drey-context"),
  open: ({ path }, carried) => openCopilotReader(nameOf(path), parseObject(carried) ?? {}),
}

const idleBeginning =
  /^\{"type":"(?:hook\.start|hook\.end|system\.message|session\.usage_record|assistant\.turn_[a-z]{3,5})"/

/** The folder is named after the session if the file is not. */
function nameOf(path: string): string {
  return basename(path) === "events.jsonl" ? basename(dirname(path)) : basename(path, ".jsonl")
}

function openCopilotReader(name: string, before: JsonObject): LineReader {
  const collector = collectEvents("copilot-cli", name, textOf(before.events))
  const session: { id: string; cwd?: string | undefined; branch?: string | undefined } = {
    id: name,
    ...objectOf(before.session),
  }
  /** Calls that the user did not permit. */
  let refused = textsOf(before.refused)

  const take = (kind: string, data: JsonObject, told: Told): boolean => {
    const tell = Object.hasOwn(tellers, kind) ? tellers[kind] : undefined
    tell?.(data, told)
    return tell !== undefined || idleKinds.has(kind)
  }
  type Told = ReturnType<typeof toldAt>
  const toldAt = (record: JsonObject, line: number) => ({
    id: `${session.id}:${textOf(record.id) ?? line}`,
    session: session.id,
    ts: isoTime(record.timestamp),
    line,
    cwd: session.cwd,
    branch: session.branch,
  })
  const enter = (data: JsonObject) => {
    const { cwd, branch } = objectOf(data.context) ?? {}
    Object.assign(session, { cwd: textOf(cwd) ?? session.cwd, branch: textOf(branch) ?? session.branch })
  }

  const tellers: Record<string, (data: JsonObject, told: Told) => void> = {
    "session.start"(data) {
      session.id = textOf(data.sessionId) ?? session.id
      enter(data)
    },
    "session.resume": enter,
    "session.shutdown": (_, told) => collector.mark({ ...told, mark: "session end" }),
    "session.compaction_complete": (_, told) => collector.mark({ ...told, mark: "compacted" }),
    abort: (_, told) => collector.interrupt(told),
    "user.message"(data, told) {
      collector.overhear(textOf(data.transformedContent) ?? "")
      const isByPerson = data.source === undefined || data.source === "user"
      if (isByPerson) collector.say({ ...told, role: "user", text: textOf(data.content) ?? "" })
    },
    "assistant.message": (data, told) =>
      collector.say({ ...told, role: "assistant", text: textOf(data.content) ?? "" }),
    "tool.execution_start"(data, told) {
      const tool = textOf(data.toolName) ?? "unknown"
      const input = parseObject(data.arguments) ?? {}
      const call = textOf(data.toolCallId) ?? told.id
      collector.call({ ...told, call, tool, server: textOf(data.mcpServerName), input })
    },
    "permission.completed"(data) {
      const kind = textOf(objectOf(data.result)?.kind) ?? textOf(data.result) ?? ""
      if (/^(?:denied|rejected)/.test(kind)) refused = [...refused, textOf(data.toolCallId) ?? ""].slice(-20)
    },
    "tool.execution_complete"(data, told) {
      const call = textOf(data.toolCallId) ?? told.id
      collector.overhear(rawCopilotOutput(data)) // a hook may have added a context, which is removed from the reported output
      collector.answer({ ...told, call, ...copilotOutput(data, refused.includes(call)) })
    },
    "hook.end": (data) => collector.overhear(JSON.stringify(data.output) ?? ""),
  }

  return {
    take(record, line) {
      const kind = textOf(record.type) ?? "untyped"
      const data = objectOf(record.data) ?? {}
      const isOfSubAgent = textOf(data.parentToolCallId) !== undefined || textOf(record.agentId) !== undefined
      if (isOfSubAgent) return []
      return take(kind, data, toldAt(record, line)) ? collector.take() : { unknown: kind }
    },
    carry: () => JSON.stringify({ session, refused, events: collector.carry() }),
  }
}

const idleKinds = new Set(
  `session.model_change session.info session.error session.auto_mode_resolved session.usage_checkpoint session.usage_record
  session.truncation session.mode_changed session.task_complete session.compaction_start assistant.turn_start assistant.turn_end
  assistant.reasoning hook.start system.message system.notification subagent.started subagent.completed
  permission.requested`.split(/\s+/),
)

/** Sessions are `session-state/<id>/events.jsonl`, formerly `session-state/<id>.jsonl`. */
export const copilotCli: Client = {
  id: "copilot-cli",
  name: "Copilot CLI",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "copilot-cli", path })),
  recognises: (path, beginning) => path.endsWith(".jsonl") && ownRecord.test(beginning),
  read: (transcript, from) => readLines(transcript, from, copilotLines),
}

const ownRecord = /^\{"type":"(?:session|user|assistant|tool|hook|system|subagent)\.[a-z_]{1,40}",[^\n]{0,60}"data":\{/m

function findSessions({ home, environment }: Machine): string[] {
  const folder = join(environment.COPILOT_HOME || join(home, ".copilot"), "session-state")
  const isOld = (name: string) => name.endsWith(".jsonl")
  return [...findFiles(folder, 1, isOld), ...findFiles(folder, 2, (name) => name === "events.jsonl")]
}

type CopilotOutput = { text: string; isError: boolean; exitCode?: number; incident?: "refused" }

/**
 * The outcome of a call. A failed command counts as a success here; only newer versions have a field for its exit code.
 */
export function copilotOutput(data: JsonObject, isRefused: boolean): CopilotOutput {
  if (isRefused || /^(?:denied|rejected)/.test(textOf(objectOf(data.error)?.code) ?? ""))
    return { text: "", isError: false, incident: "refused" }
  const output = cutGuidance(rawCopilotOutput(data))
  const ending = exitLine.exec(output.slice(-200))
  const text = ending ? output.slice(0, -ending[0].length) : output
  const exitCode = numberOf(objectOf(data.shellExecution)?.exitCode) ?? (ending ? Number(ending[1]) : undefined)
  return { text, isError: data.success === false, ...(exitCode === undefined ? {} : { exitCode }) }
}

/** The output including injected text. */
function rawCopilotOutput(data: JsonObject): string {
  const { content } = objectOf(data.result) ?? {}
  return textOf(content) ?? textOf(objectOf(data.error)?.message) ?? ""
}

const exitLine = /\n?<(?:shellId: [^\n>]{1,80} completed|exited) with exit code (-?\d{1,9})>\s{0,9}$/

/** Hook output follows the tool's output, below a line of the client's. */
function cutGuidance(text: string): string {
  const heading = guidance.exec(text)
  return heading ? text.slice(0, heading.index).trimEnd() : text
}

const guidance = /^(?:Tool "[^"\n]{1,100}" [a-z]{1,20}\. )?Additional guidance from [A-Za-z]{1,40} hooks:/m
