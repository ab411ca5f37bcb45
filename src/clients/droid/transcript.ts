import { basename, join } from "node:path"
import type { Client, Machine } from "../client.ts"
import { cutBlocks, cutToLast } from "../injected-text.ts"
import { isoTime, type JsonObject, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { findFiles } from "../transcripts/client-files.ts"
import { collectEvents, type EventCollector, type RecordHeader } from "../transcripts/event-collector.ts"
import { type LineFormat, type LineReader, readLines } from "../transcripts/line-files.ts"

/** Droid's records: a header, then messages of the user or the model, with a block for every text, call and result. */
const droidLines: LineFormat = {
  isIdle: (line) => idleBeginning.test(line.toString("latin1", 0, 60)),
  open: ({ path }, carried) => openDroidReader(basename(path, ".jsonl"), parseObject(carried) ?? {}),
}

const idleBeginning = /^\{"type":"(?:todo_state|agent_turn_outcome)",/

/** `isAgents`: a sub-agent's or a mission's worker, whose user is the agent that started it. */
type DroidSession = { id: string; cwd?: string | undefined; isAgents: boolean }

function openDroidReader(name: string, before: JsonObject): LineReader {
  const session: DroidSession = { id: name, isAgents: false, ...objectOf(before.session) }
  const collector = collectEvents("droid", session.id, textOf(before.events))
  return {
    take(record, line) {
      const kind = textOf(record.type) ?? "untyped"
      if (kind === "session_start") Object.assign(session, headerOf(record, name))
      else if (!knownKinds.has(kind)) return { unknown: kind }
      if (session.isAgents) return []
      const told = {
        id: textOf(record.id) ?? `${session.id}:${line}`,
        session: session.id,
        ts: isoTime(record.timestamp),
        line,
        cwd: session.cwd,
      }
      if (kind === "compaction_state") collector.mark({ ...told, mark: "compacted" })
      if (kind === "message") addMessage(collector, objectOf(record.message) ?? {}, told)
      return collector.take()
    },
    carry: () => JSON.stringify({ session, events: collector.carry() }),
  }
}

const knownKinds = new Set(["message", "compaction_state", "todo_state", "agent_turn_outcome"])

function headerOf(record: JsonObject, name: string): DroidSession {
  const older = objectOf(record.session) ?? {}
  return {
    id: textOf(record.id) ?? textOf(older.id) ?? name,
    cwd: textOf(record.cwd) ?? textOf(older.cwd),
    isAgents: record.callingSessionId !== undefined || record.decompSessionType === "worker",
  }
}

function addMessage(collector: EventCollector, message: JsonObject, told: RecordHeader): void {
  const { role, content } = message
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content)
  const said = blocks.flatMap((block) => (block.type === "text" ? (textOf(block.text) ?? []) : []))
  const spoken = { ...told, id: `${told.id}:text` }
  for (const text of said) collector.overhear(text) // Drey's context is within a reminder, which is cut
  if (isClients(message)) return
  if (role === "assistant") collector.say({ ...spoken, role: "assistant", text: said.join("\n\n") })
  else if (role === "user") addWords(collector, said, spoken)
  for (const [index, block] of blocks.entries()) {
    const here = index === 0 ? told : { ...told, id: `${told.id}:${index}` }
    if (block.type === "tool_use")
      collector.call({
        ...here,
        call: textOf(block.id) ?? here.id,
        tool: textOf(block.name) ?? "unknown",
        input: objectOf(block.input) ?? {},
      })
    if (block.type === "tool_result")
      collector.answer({ ...here, call: textOf(block.tool_use_id) ?? here.id, ...outcomeOf(block) })
  }
}

/** Notes for the model, lines for the screen, and what a hook added. */
function isClients({ visibility = "both", isUserVisible, hiddenFromUserViews, hookEventName }: JsonObject): boolean {
  return visibility !== "both" || isUserVisible === false || hiddenFromUserViews === true || hookEventName !== undefined
}

function addWords(collector: EventCollector, texts: string[], told: RecordHeader): void {
  const words = texts.map((text) => wrappers.reduce(cutToLast, text).trim()).filter((text) => text !== "")
  if (words.some((text) => text === "Request interrupted by user")) collector.interrupt(told)
  else collector.say({ ...told, role: "user", text: words.join("\n\n") })
}

const reminder = { open: "<system-reminder>", close: "</system-reminder>" }
const wrappers = [reminder, { open: "<system-notification>", close: "</system-notification>" }]

function outcomeOf({ content, is_error }: JsonObject) {
  const parts = typeof content === "string" ? [content] : objectsOf(content).flatMap((part) => textOf(part.text) ?? [])
  const text = cutBlocks(parts.join("\n"), { ...reminder })
  const isError = is_error === true
  if (isError && /^(?:Error: )?Tool execution cancelled(?: by user|:)/.test(text))
    return { text: "", incident: "refused" as const }
  if (isError && text.startsWith("Tool execution was interrupted"))
    return { text: "", incident: "interrupted" as const }
  const exit = isError ? /exited with code: (\d{1,9})/.exec(text) : null
  return { text, isError, ...(exit === null ? {} : { exitCode: Number(exit[1]) }) }
}

/** Sessions are `sessions/<directory>/<session>.jsonl`, formerly `sessions/<session>.jsonl`. */
export const droid: Client = {
  id: "droid",
  name: "Factory Droid",
  maturity: "experimental",
  find: (machine) => findSessions(machine).map((path) => ({ client: "droid", path })),
  recognises: (path, beginning) => path.endsWith(".jsonl") && beginning.startsWith('{"type":"session_start"'),
  read: (transcript, from) => readLines(transcript, from, droidLines),
}

function findSessions({ home, environment }: Machine): string[] {
  const folder = join(environment.FACTORY_HOME_OVERRIDE || home, ".factory", "sessions")
  return findFiles(folder, 2, (name) => name.endsWith(".jsonl"))
}
