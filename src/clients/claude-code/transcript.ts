import { basename, dirname, join, relative, sep } from "node:path"
import type { TranscriptEvent } from "../../formats/client-events.ts"
import type { Client, Machine, Transcript } from "../client.ts"
import { cutBlocks, cutToLast, textInTag } from "../injected-text.ts"
import { isoTime, type JsonObject, numberOf, objectOf, objectsOf, parseObject, textOf } from "../json-value.ts"
import { findFiles } from "../transcripts/client-files.ts"
import { collectEvents, type EventCollector, type RecordHeader } from "../transcripts/event-collector.ts"
import { type LineFormat, readLines } from "../transcripts/line-files.ts"
import { openSubAgents } from "./sub-agents.ts"

/**
 * Whether a Claude Code line can be skipped unparsed. Its first bytes decide, since quotes inside a record are escaped.
 * A hook's line with one of our contexts is parsed for the context's id.
 */
function isClaudeLineIdle(line: Buffer): boolean {
  const beginning = line.toString("latin1", 0, lookAhead)
  if (hasIdleKind.test(beginning)) return true
  if (isAttachment.test(beginning)) return !line.includes("<drey-context")
  return isThought.test(beginning) && !line.includes('{"type":"text"') && !line.includes('{"type":"tool_use"')
}

const lookAhead = 700
const hasIdleKind =
  /^\{"type":"(?:file-history-snapshot|queue-operation|last-prompt|api-request[a-z-]{0,20})"|"type":"progress","data":/
const isAttachment = /"attachment":\{"type":/
const isThought = /"content":\[\{"type":"(?:redacted_)?thinking"/

/** Claude Code's records: messages of the user or the model, with a block for every text, call and result. */
const claudeLines: LineFormat = {
  isIdle: isClaudeLineIdle,
  open({ path }, carried) {
    const collector = collectEvents("claude-code", basename(path, ".jsonl"), carried)
    const subAgents = openSubAgents(path, parseObject(carried))
    return {
      take(record, line) {
        const kind = kindOf(record)
        if (!knownKinds.has(kind)) return { unknown: kind }
        addClaudeRecord(collector, record, { kind, line, ...subAgents.placeOf(record) })
        return collector.take()
      },
      carry: () => JSON.stringify({ ...parseObject(collector.carry()), ...subAgents.carry() }),
    }
  },
}

function kindOf({ type, subtype }: JsonObject): string {
  return type === "system" ? `system/${textOf(subtype)}` : (textOf(type) ?? "untyped")
}

const knownKinds = new Set(
  `user assistant progress attachment file-history-snapshot file-history-delta agent-name worktree-state queue-operation last-prompt mode custom-title permission-mode ai-title
  summary pr-link atis-latch api-request api-request-shape api-request-blob tools-used cost-state system/stop_hook_summary
  system/turn_duration system/compact_boundary system/api_error system/away_summary system/local_command
  system/microcompact_boundary`.split(/\s+/),
)

type ClaudePlace = Pick<RecordHeader, "session" | "agent"> & { kind: string; line: number }

function addClaudeRecord(
  collector: EventCollector,
  record: JsonObject,
  { kind, line, session, agent }: ClaudePlace,
): void {
  const told = {
    id: textOf(record.uuid) ?? `${textOf(record.sessionId) ?? ""}:${line}`,
    session,
    agent,
    ts: isoTime(record.timestamp),
    line,
    cwd: textOf(record.cwd),
    branch: textOf(record.gitBranch),
  }
  if (kind === "user") addUserRecord(collector, record, told)
  else if (kind === "assistant") addAssistantRecord(collector, record, told)
  else if (kind === "attachment") collector.overhear(JSON.stringify(record.attachment) ?? "")
  else if (kind === "system/compact_boundary") collector.mark({ ...told, mark: "compacted" })
  else if (kind === "system/local_command") addMarks(collector, [textOf(record.content) ?? ""], told)
}

/** The blocks of a message; a single text may be a plain string. */
function blocksOf(record: JsonObject): JsonObject[] {
  const content = objectOf(record.message)?.content
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content)
}

function addUserRecord(collector: EventCollector, record: JsonObject, told: RecordHeader): void {
  const blocks = blocksOf(record)
  const results = blocks.filter(({ type }) => type === "tool_result")
  for (const [index, block] of results.entries()) addResult(collector, block, record, withIndex(told, index))
  if (results.length > 0 || isSyntheticRecord(record)) return
  const texts = blocks.flatMap(textIn)
  // The expansion of a command is in the same record, in blocks that look like the user's own.
  if (texts.some(isCommandBlock)) {
    addMarks(collector, texts, told)
    const typed = texts.map(commandArguments).find((words) => words !== "")
    if (typed !== undefined && told.agent === undefined) collector.say({ ...told, role: "user", text: typed })
  } else addUserText(collector, texts, told)
}

function addMarks(collector: EventCollector, texts: string[], told: RecordHeader): void {
  for (const [index, words] of texts.map(readClaudeMessage).entries())
    if (words.kind === "mark") collector.mark({ ...withIndex(told, index), mark: words.mark })
}

/** One record may produce several events; the first keeps its id. */
function withIndex(told: RecordHeader, index: number): RecordHeader {
  return index === 0 ? told : { ...told, id: `${told.id}:${index}` }
}

function textIn({ type, text }: JsonObject): string[] {
  return type === "text" ? [textOf(text) ?? ""] : []
}

/** Written by the client: its own instructions, and the summary after a compaction. */
function isSyntheticRecord(record: JsonObject): boolean {
  return (
    record.isMeta === true ||
    record.isCompactSummary === true ||
    record.isVisibleInTranscriptOnly === true ||
    record.promptSource === "system" ||
    othersBegin.test(textOf(objectOf(record.origin)?.kind) ?? "")
  )
}

/** Who sent a message, where the client records it: not the user. */
const othersBegin = /notification|channel|team|peer|agent|hook|monitor|schedule|cron|system/i

function addUserText(collector: EventCollector, texts: string[], told: RecordHeader): void {
  const said: string[] = []
  for (const [index, words] of texts.map(readClaudeMessage).entries()) {
    if (words.kind === "interrupted") collector.interrupt(withIndex(told, index))
    else if (words.kind === "mark") collector.mark({ ...withIndex(told, index), mark: words.mark })
    else if (words.kind === "said") said.push(words.text)
  }
  const role = told.agent === undefined ? "user" : "assistant" // a sub-agent's task is in its parent's words
  if (said.length > 0) collector.say({ ...withIndex(told, texts.length - 1), role, text: said.join("\n\n") })
}

function addAssistantRecord(collector: EventCollector, record: JsonObject, told: RecordHeader): void {
  if (record.isApiErrorMessage === true || objectOf(record.message)?.model === "<synthetic>") return
  for (const [index, block] of blocksOf(record).entries()) {
    const here = withIndex(told, index)
    if (block.type === "text") collector.say({ ...here, role: "assistant", text: textOf(block.text) ?? "" })
    if (block.type === "tool_use")
      collector.call({
        ...here,
        call: textOf(block.id) ?? here.id,
        tool: textOf(block.name) ?? "unknown",
        input: objectOf(block.input) ?? {},
      })
  }
}

function addResult(collector: EventCollector, block: JsonObject, record: JsonObject, told: RecordHeader): void {
  const call = textOf(block.tool_use_id) ?? told.id
  const details = record.toolUseResult
  const text = outputOf(block.content)
  const isError = block.is_error === true
  if (isError && text.startsWith(refusal)) {
    const refused = refusalIn(text, record, collector.toolOf(call))
    if (refused === undefined) return // an unverified claim that the user refused: the outcome is unknown
    collector.answer({ ...told, call, text: "", incident: "refused" })
    if (refused.words !== "" && !refused.words.startsWith("The user wants to clarify these questions"))
      collector.say({ ...told, id: `${told.id}:words`, role: "user", text: refused.words })
    return
  }
  const { interrupted, exitCode, shellId, command } = objectOf(details) ?? {}
  const isInterrupted = interrupted === true || (isError && text.startsWith("[Request interrupted by user"))
  const exit = isError ? /^Exit code (\d{1,9})(?:\n|$)/.exec(text) : null
  collector.answer({
    ...told,
    call,
    command: shellId === undefined ? undefined : textOf(command), // the output of a background command
    text: plainOutput(exit ? text.slice(exit[0].length) : text),
    isError,
    exitCode: exit ? Number(exit[1]) : numberOf(exitCode),
    incident: isInterrupted ? "interrupted" : undefined,
  })
}

const refusal = "The user doesn't want to proceed with this tool use"
/** The user's comment on a refusal reaches the agent like any prompt. */
const refusalWords =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"

/**
 * A refusal as the client records it: a result in its own format, and the same text in a field of the record. A server,
 * a page or a command can print the same sentence, so the comment counts only for tools whose errors the client writes
 * itself.
 */
function refusalIn(text: string, record: JsonObject, tool: string | undefined): { words: string } | undefined {
  const { toolUseResult: details } = record
  if (details === "User rejected tool use") return { words: "" }
  const isClients = tool !== undefined && clientsTools.has(tool)
  const isShell = tool !== undefined && /^(?:bash|powershell)$/i.test(tool)
  // Up to 1.x the output of a failed command had no header.
  const isOldShell = isShell && !/^(?:[2-9]|\d{2,})\./.test(textOf(record.version) ?? "")
  if (isOldShell) return textOf(objectOf(details)?.stderr)?.startsWith(refusal) ? { words: "" } : undefined
  if (!(isClients || isShell) || details !== `Error: ${text}`) return undefined
  return { words: text.startsWith(refusalWords) ? text.slice(refusalWords.length) : "" }
}

/**
 * Their errors contain only the client's text; tools of servers, and those that fetch pages or run agents, may print
 * anything.
 */
const clientsTools = new Set(
  `Edit MultiEdit Write NotebookEdit Read Glob Grep LS ExitPlanMode EnterPlanMode AskUserQuestion TodoWrite TaskCreate
  TaskUpdate KillShell KillBash`.split(/\s+/),
)

/** The output without the client's wrappers and additions. */
function plainOutput(text: string): string {
  const start = text.startsWith(errorTag.open) ? errorTag.open.length : 0
  const end = text.endsWith(errorTag.close) ? text.length - errorTag.close.length : text.length
  return cutReminders(text.slice(start, end))
}

const errorTag = { open: "<tool_use_error>", close: "</tool_use_error>" }

function outputOf(content: unknown): string {
  if (typeof content === "string") return content
  return objectsOf(content)
    .flatMap((part) => textOf(part.text) ?? [])
    .join("\n")
}

/**
 * Sessions are `projects/<folder>/<session>.jsonl`. A sub-agent's file is `<session>/subagents/agent-<id>.jsonl` beside
 * its session; older ones are beside it themselves, and up to 1.x their records are in the session's file.
 */
export const claudeCode: Client = {
  id: "claude-code",
  name: "Claude Code",
  maturity: "proven",
  find: (machine) => findTranscripts(machine),
  recognises: (path, beginning) => path.endsWith(".jsonl") && ownKeys.test(beginning),
  read: (transcript, from) => readLines(transcript, from, claudeLines),
}

/** Keys that only its records have. */
const ownKeys =
  /"(?:parentUuid|isSidechain|leafUuid)":|"type":"(?:file-history-snapshot|queue-operation)"|^\{"type":"(?:user|assistant)",[^\n]{0,400}"message":\{/m

function findTranscripts({ home, environment }: Machine): Transcript[] {
  const folder = join(environment.CLAUDE_CONFIG_DIR || join(home, ".claude"), "projects")
  return findFiles(folder, 4, (name) => name.endsWith(".jsonl")).flatMap((path): Transcript[] => {
    const depth = relative(folder, path).split(sep).length
    if (basename(path).startsWith("agent-")) {
      const isPlaced = depth <= 2 || basename(dirname(path)) === "subagents"
      return isPlaced ? [{ client: "claude-code", path, isSubAgents: true }] : []
    }
    return depth <= 2 ? [{ client: "claude-code", path }] : []
  })
}

type ClaudeMessage =
  | { kind: "said"; text: string }
  | { kind: "mark"; mark: NonNullable<TranscriptEvent["mark"]> }
  | { kind: "interrupted" }
  | { kind: "nothing" }

/** Classifies the text of a user message: typed by the user, a command to the client, or the client's own. */
export function readClaudeMessage(text: string): ClaudeMessage {
  const words = withoutEvents(wrappers.reduce(cutToLast, text)).trim()
  if (words.startsWith("[Request interrupted by user")) return { kind: "interrupted" }
  const mark = marks[commandIn.exec(words)?.[1] ?? ""]
  if (mark !== undefined) return { kind: "mark", mark }
  if (words === "" || byClient.test(words)) return { kind: "nothing" }
  return { kind: "said", text: acceptedPlan.exec(words)?.[0] ?? words }
}

/**
 * Teammates' messages, events of CI and of other sessions arrive as user messages, even as ones with the origin "human",
 * in a tag with a hyphen; more kinds appear with every version. A block that is not closed extends to the end.
 */
function withoutEvents(text: string): string {
  let rest = text
  for (let blocks = 0; blocks < mostEvents; blocks++) {
    const [open, name] = eventTag.exec(rest) ?? []
    if (open === undefined) return rest
    const start = rest.indexOf(open)
    const close = `</${name}>`
    const end = rest.lastIndexOf(close)
    rest = rest.slice(0, start) + (end < start ? "" : rest.slice(end + close.length))
  }
  return ""
}

const mostEvents = 50

const eventTag = /^[ \t]*<(?!command-|local-command-|drey-)([a-z]+(?:-[a-z]+){1,5})(?: [^>\n]{0,500})?>/m

/** An accepted plan arrives as a user message. The model wrote it, so only its title counts as the user's request. */
const acceptedPlan = /^Implement the following plan:\s{1,9}#[^\n]{1,300}/

/** Removes the client's reminders from an output. */
function cutReminders(text: string): string {
  return cutBlocks(text, { open: "<system-reminder>", close: "</system-reminder>" })
}

/** Whether a text is a command to the client, or its result: then all text of the record is the client's. */
function isCommandBlock(text: string): boolean {
  return commandBlock.test(text.trim())
}

/** What the user typed behind a command of their own: a request in words, not an option. */
function commandArguments(text: string): string {
  const words = isCommandBlock(text) ? (textInTag(text, "command-args") ?? "") : ""
  return words.split(/\s+/).length >= fewestWords ? words : ""
}

const fewestWords = 4

const commandBlock = /^<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat))>/

/** Editors describe what is open before the prompt, and the client adds reminders for the model. */
const wrappers = [
  ...["ide_opened_file", "ide_selection", "ide_diagnostics", "system-reminder", "task-notification"].map((name) => ({
    open: `<${name}>`,
    close: `</${name}>`,
  })),
  { open: "<channel", close: "</channel>" },
]

const commandIn =
  /^(?:<command-message>.{0,200}?<\/command-message>\s{0,20})?<command-name>\/?([\w:-]{1,60})<\/command-name>/s
const marks: Record<string, NonNullable<TranscriptEvent["mark"]>> = {
  clear: "clear",
  reset: "clear",
  new: "clear",
  exit: "session end",
  quit: "session end",
}

const byClient =
  /^(?:<(?:command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|local-command-caveat|task-notification|system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>|Caveat:|Operation stopped by hook:)/
