import { basename, dirname, join } from "node:path"
import { sha256 } from "../../disk/hash.ts"
import { parseJson } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import type { Position, TranscriptEvent } from "../../formats/client-events.ts"
import type { Batch, Client, Machine, Transcript } from "../client.ts"
import { cutBlocks, cutToLast } from "../injected-text.ts"
import { isoTime, type JsonObject, objectOf, objectsOf, parseObject, textOf, textsOf } from "../json-value.ts"
import { findFiles, readBeginning, readJsonFile } from "../transcripts/client-files.ts"
import { collectEvents, type TranscriptReading } from "../transcripts/event-collector.ts"
import { type LineFormat, readLines } from "../transcripts/line-files.ts"
import { readWhole } from "../transcripts/whole-files.ts"

type GeminiMessages = {
  /** Reads a session's header. */
  begin(header: JsonObject): void
  /** Reads a message, or a resumed session's copy of one; returns the name of an unknown kind. */
  take(message: JsonObject, line: number, copy?: "copy"): string | undefined
  /** The events since the last call. */
  events(): TranscriptEvent[]
  carry(): string
}

const mostKnown = 2000

/**
 * The same message is written several times: without its calls, with them, and without them again when a session is
 * resumed. So each part is added once, by its id, when it first appears.
 */
function openGeminiMessages(path: string, carried: string): GeminiMessages {
  const name = basename(path)
  const before = parseObject(carried) ?? {}
  const collector = collectEvents("gemini-cli", name, textOf(before.events))
  const known = new Set(textsOf(before.known))
  let session = textOf(before.session) ?? name
  let cwd = textOf(before.cwd)
  let isSilent = before.isSilent === true

  /** Whether a part appears for the first time. */
  const isNew = (piece: string): boolean => {
    if (known.has(piece)) return false
    known.add(piece)
    const [oldest = ""] = known
    if (known.size > mostKnown) known.delete(oldest)
    return true
  }
  const toldAt = (message: JsonObject, line: number) => (piece: string, time?: unknown) => ({
    id: `${session}:${piece}`,
    session,
    ts: isoTime(time) || isoTime(message.timestamp),
    line,
    cwd,
  })

  const tellers: Record<string, (message: JsonObject, told: ReturnType<typeof toldAt>, copy: boolean) => void> = {
    user(message, told, isCopy) {
      const given = geminiPartsText(message.content)
      const id = `${textOf(message.id)}:user`
      const words = geminiUserText(message)
      cwd = workspaceIn(given) ?? cwd
      if (words === "" || !isNew(id)) return
      const isSaid = !isNew(`said:${words.slice(0, 100)}`)
      if (isCopy && isSaid) return // copies may have new ids
      collector.overhear(given)
      collector.say({ ...told(id), role: "user", text: words })
    },
    gemini(message, told) {
      const text = geminiPartsText(message.content)
      const id = `${textOf(message.id)}:gemini`
      if (text.trim() !== "" && isNew(id)) collector.say({ ...told(id), role: "assistant", text })
      for (const call of objectsOf(message.toolCalls)) tellCall(call, told)
    },
    info(message, told) {
      const id = `${textOf(message.id)}:info`
      if (geminiPartsText(message.content).startsWith("Request cancelled") && isNew(id)) collector.interrupt(told(id))
    },
    error() {},
    warning() {},
  }

  function tellCall(call: JsonObject, told: ReturnType<typeof toldAt>): void {
    const id = textOf(call.id) ?? ""
    const tool = textOf(call.name) ?? "unknown"
    if (isNew(`${id}:call`)) collector.call({ ...told(`${id}:call`), call: id, tool, input: objectOf(call.args) ?? {} })
    const isOver = ["success", "error", "cancelled"].includes(String(call.status))
    if (!isOver || !isNew(`${id}:result`)) return
    collector.overhear(rawGeminiOutput(call)) // a hook may have added a context, which is removed from the reported output
    collector.answer({ ...told(`${id}:result`, call.timestamp), call: id, ...geminiOutput(call) })
  }

  return {
    begin(header) {
      session = textOf(header.sessionId) ?? session
      cwd ??= geminiFolder(path, textOf(header.projectHash))
      isSilent ||= header.kind === "subagent"
    },
    take(message, line, copy) {
      const kind = String(message.type)
      const tell = Object.hasOwn(tellers, kind) ? tellers[kind] : undefined
      if (tell === undefined) return textOf(message.type) ? `message/${message.type}` : "untyped"
      tell(message, toldAt(message, line), copy !== undefined)
      return undefined
    },
    events() {
      const events = collector.take()
      return isSilent ? [] : events
    },
    carry: () => JSON.stringify({ session, cwd, isSilent, known: [...known], events: collector.carry() }),
  }
}

/** Gemini's log of operations: a header, messages, and changes to earlier records. */
const geminiLines: LineFormat = {
  isIdle: (line) => line.length < 100 && line.toString("latin1", 0, 24) === '{"$set":{"lastUpdated":"',
  open({ path }, carried) {
    const messages = openGeminiMessages(path, carried)
    return {
      take(record, line) {
        const unknown = tellRecord(record, line)
        return unknown === undefined ? messages.events() : { unknown }
      },
      carry: messages.carry,
    }

    /** The name of an unknown kind. */
    function tellRecord(record: JsonObject, line: number): string | undefined {
      const change = objectOf(record.$set)
      if (change !== undefined) for (const message of objectsOf(change.messages)) messages.take(message, line, "copy")
      else if (textOf(record.sessionId) !== undefined) messages.begin(record)
      else if (record.$rewindTo === undefined) return messages.take(record, line)
      return undefined
    }
  },
}

/**
 * Sessions are `tmp/<project>/chats/session-<time>-<id>.jsonl`, formerly a JSON document; sub-agents' files are in
 * their own folders.
 */
export const geminiCli: Client = {
  id: "gemini-cli",
  name: "Gemini CLI",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "gemini-cli", path })),
  recognises: (path, beginning) => /\.jsonl?$/.test(path) && isSession(beginning.slice(0, 4000)),
  read(transcript, from) {
    const isDocument = beginsDocument(readBeginning(transcript.path) ?? "")
    return isDocument ? readGeminiDocument(transcript, from) : readLines(transcript, from, geminiLines)
  },
}

function findSessions({ home }: Machine): string[] {
  return findFiles(join(home, ".gemini", "tmp"), 3, (name) => /^session-.{1,200}\.jsonl?$/.test(name))
}

function isSession(beginning: string): boolean {
  return /"sessionId"\s{0,9}:/.test(beginning) && /"projectHash"\s{0,9}:/.test(beginning)
}

/** A document contains its messages; a log has them after its first line. */
function beginsDocument(beginning: string): boolean {
  const [line = ""] = beginning.split("\n", 1)
  return line.trim() === "{" || (/"messages"\s{0,9}:\s{0,9}\[/.test(line) && !line.startsWith('{"$set"'))
}

/** Reads a session of the older format: one document, rewritten with every message. */
function readGeminiDocument({ path }: Transcript, from: Position | undefined): AsyncIterable<Batch> {
  return readWhole([path], from, () => {
    const { text, bytes } = readTextFile(path)
    return { account: readDocument(parseJson(text, path), path), bytes }
  })
}

function readDocument(content: unknown, path: string): TranscriptReading {
  const document = objectOf(content) ?? {}
  const messages = openGeminiMessages(path, "")
  const unknown: Record<string, number> = {}
  const listed = objectsOf(document.messages)
  messages.begin(document)
  for (const message of listed) {
    const kind = messages.take(message, 0)
    if (kind !== undefined) unknown[kind] = (unknown[kind] ?? 0) + 1
  }
  return { events: messages.events(), records: listed.length + 1, unknown }
}

/**
 * The working folder of a session, from the client's files: `tmp/<project>/.project_root` names it, or `projects.json`
 * lists every folder with its short name. Older versions store only a hash of the folder's path, which is resolved if
 * the folder is listed.
 */
function geminiFolder(session: string, projectHash: string | undefined): string | undefined {
  const chats = dirname(session)
  if (basename(chats) !== "chats") return undefined // a copy in another place
  const project = dirname(chats)
  const named = textOf(readBeginning(join(project, ".project_root"))?.trim())
  return named ?? listedFolder(join(project, "..", "..", "projects.json"), basename(project), projectHash)
}

function listedFolder(list: string, project: string, projectHash: string | undefined): string | undefined {
  const folders = Object.entries(objectOf(objectOf(readJsonFile(list))?.projects) ?? {})
  const listed =
    folders.find(([, name]) => name === project) ??
    folders.find(([folder]) => [project, projectHash].includes(sha256(folder)))
  return listed?.[0]
}

/** The text of a message, which is one string or a list of parts. */
export function geminiPartsText(content: unknown): string {
  if (typeof content === "string") return content
  return objectsOf(content)
    .flatMap((part) => textOf(part.text) ?? [])
    .join("\n")
}

/** The user's own text; "" for the client's: results, its context, its own prompts. */
export function geminiUserText({ content, displayContent }: JsonObject): string {
  const given = wordsIn(content)
  if (given === "" || byClient.test(given)) return ""
  if (displayContent === undefined) return given
  const shown = wordsIn(displayContent)
  return shown.startsWith("/") && shown !== given ? "" : shown // a client command that expands to a prompt
}

function wordsIn(content: unknown): string {
  if (objectsOf(content).some((part) => part.functionResponse !== undefined)) return ""
  // Hooks add text before and after the prompt, which the client escapes; referenced files are inserted as they are.
  return cutBlocks(cutToLast(geminiPartsText(content), referencedFiles), hookContext).trim()
}

const hookContext = { open: "<hook_context>", close: "</hook_context>" }
const referencedFiles = { open: "--- Content from referenced files ---", close: "--- End of content ---" }

const byClient =
  /^(?:<session_context>|System: Please continue\.$|You are an AI agent that brings the power of Gemini directly into the terminal\.)/

/** The session's working folder, from its first message. */
function workspaceIn(text: string): string | undefined {
  if (!text.startsWith("<session_context>")) return undefined
  return /^- \*\*Workspace Directories:\*\*\n {2}- ([^\n]{1,1000})$/m.exec(text)?.[1]
}

type GeminiOutput = { text: string; isError: boolean; exitCode?: number; incident?: "refused" }

/** The outcome of a call. A failed command counts as a success here: only its output shows how it ended. */
export function geminiOutput(call: JsonObject): GeminiOutput {
  if (call.status === "cancelled") return { text: "", isError: false, incident: "refused" }
  const text = cutBlocks(rawGeminiOutput(call), { open: "<hook_context>", close: "</hook_context>" })
    .replace(/<\/?untrusted_context>/g, "")
    .trim()
  const isError = call.status === "error"
  return call.name === "run_shell_command" ? { ...outputOfRun(text), isError } : { text, isError }
}

/** The output including injected text. */
function rawGeminiOutput(call: JsonObject): string {
  const responses = objectsOf(call.result).map((part) => objectOf(part.functionResponse)?.response)
  return objectsOf(responses)
    .flatMap(({ error, output }) => textOf(error) ?? textOf(output) ?? [])
    .join("\n")
}

function outputOfRun(text: string): { text: string; exitCode?: number } {
  const end = text.slice(-lengthOfEnd)
  const code = /(?:\n|\\n)Exit Code: (-?\d{1,9})\b/.exec(end)?.[1]
  const output = (text.slice(0, -lengthOfEnd) + end.replace(facts, "")).replace(
    /^(?:Command: [^\n]{0,2000}\nDirectory: [^\n]{0,1000}\n)?Output: /,
    "",
  )
  return { text: output, ...(code === undefined ? {} : { exitCode: Number(code) }) }
}

const lengthOfEnd = 600
/** Lines that the client appends to an output; `Error` only when there was none. */
const facts =
  /(?:\n(?:Error: \(none\)|Exit Code: [^\n]{0,20}|Signal: [^\n]{0,40}|Background PIDs: [^\n]{0,200}|Process Group PGID: [^\n]{0,20})){1,6}$/
