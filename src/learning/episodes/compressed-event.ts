import type { TranscriptEvent } from "../../formats/client-events.ts"

import { findErrorLine, findInformativeLine, fingerprint } from "../../formats/error-line.ts"
import { brokenRules } from "../../formats/lint-rules.ts"
import { type Command, unwrapCommands } from "../../formats/shell-command.ts"
import { truncate } from "../../formats/text.ts"
import type { EpisodeEvent } from "../../memories/episode.ts"
import { lastingSentences } from "../words/lasting.ts"
import { ownWords, withoutPasted } from "../words/own-words.ts"
import { statementKindOf } from "../words/statement-kind.ts"
import { answersByExitCode, compares, headOf, mainCommand, readsOnly } from "./command-head.ts"
import { commitMade } from "./episode-summary.ts"
import { excerpt, longestExcerpt, placePath, placePaths, wholeWords } from "./excerpt.ts"
import { frustrationIn, hasAcceptance } from "./frustration.ts"
import { asks, openerOf } from "./openers.ts"
import { readTestRun } from "./suite-run.ts"

/**
 * An event as stored: a redacted excerpt of its text, and every signal in the whole text, which is not read again.
 * Paths below the project's `root` become relative.
 */
export function compressEvent(event: TranscriptEvent, root: string | undefined): EpisodeEvent {
  const compressed: EpisodeEvent = {
    id: event.id,
    ts: event.ts,
    line: event.line,
    role: roleOf(event),
    kind: event.kind,
    summary: "",
  }
  if (event.agent?.name !== undefined) compressed.agent = event.agent.name
  if (event.agent !== undefined) compressed.parent_session = event.agent.parent
  if (event.incident !== undefined) compressed.incident = event.incident
  if (event.mark !== undefined) compressed.mark = event.mark
  if (event.contexts !== undefined && event.contexts.length > 0) compressed.contexts = event.contexts
  if (event.cites !== undefined && event.cites.length > 0) compressed.cites = event.cites
  if (event.kind === "message") addMessage(compressed, event, root)
  else if (event.kind === "tool_call") addCall(compressed, event, root)
  else if (event.kind === "tool_result") addResult(compressed, event, root)
  return compressed
}

/** A tool result belongs to the tool, whatever role the client records. */
function roleOf({ role, kind }: TranscriptEvent): EpisodeEvent["role"] {
  return kind === "tool_result" ? "tool" : kind === "tool_call" ? "assistant" : role
}

function addMessage(compressed: EpisodeEvent, event: TranscriptEvent, root: string | undefined): void {
  compressed.summary = show(event.text, root)
  if (event.branch !== undefined) compressed.branch = event.branch
  if (event.role === "user" && event.incident === undefined) addWords(compressed, event.text, root)
  else if (event.role === "assistant") addClosing(compressed, event.text, root)
}

/** An assistant's message begins with what it is about, and ends with what came of it. */
function addClosing(compressed: EpisodeEvent, text: string, root: string | undefined): void {
  if (endsWithQuestion(text)) compressed.asks = true
  if (text.length > longestExcerpt) compressed.words = placePaths(excerpt(text, 0, undefined, longestAnswer), root)
  const start = text.indexOf(" ", Math.max(0, text.length - longestExcerpt))
  if (text.length > 2 * longestExcerpt && start > 0) compressed.raw_snippet = show(text, root, { start })
}

/** How much of an agent's message an episode's summary keeps, in code points. */
const longestAnswer = 1200

/** Signals in the user's own words. */
function addWords(compressed: EpisodeEvent, text: string, root: string | undefined): void {
  const words = ownWords(text)
  const frustration = frustrationIn(words)
  if (frustration !== "none") compressed.frustration = frustration
  if (hasAcceptance(words)) compressed.accepts = true
  const opener = openerOf(words)
  if (opener !== undefined) compressed.opener = opener
  if (asks(words)) compressed.asks = true
  const whole = placePaths(
    wholeWords(text, (safe) => withoutPasted(safe, words)),
    root,
  )
  if (whole !== compressed.summary) compressed.words = whole
  const statements = lastingSentences(text)
  const [first] = statements
  if (first === undefined) return
  compressed.statement = statementKindOf(first.words)
  const rules = joinSentences(statements.map((statement) => show(text, root, statement)))
  if (rules !== compressed.summary) compressed.raw_snippet = rules
}

/** As many as fit, each ended as a sentence so that they can be separated again; a single one is left unchanged. */
function joinSentences(sentences: readonly string[]): string {
  const [only = "", ...others] = sentences
  if (others.length === 0) return only
  const joined = sentences.map(asSentence).reduce((kept, next) => {
    const longer = `${kept} ${next}`
    return [...longer].length > longestExcerpt ? kept : longer
  })
  return truncate(joined, longestExcerpt)
}

function asSentence(text: string): string {
  return /[.!?。！？…]$/.test(text) ? text : `${text.replace(/[;,:]+$/, "")}.`
}

function endsWithQuestion(text: string): boolean {
  return /[?？][\s*_)"'”`]{0,8}$/.test(text.slice(-200))
}

function addCall(compressed: EpisodeEvent, event: TranscriptEvent, root: string | undefined): void {
  addTool(compressed, event, root)
  compressed.summary =
    compressed.command ?? truncate([event.tool, compressed.file].filter(Boolean).join(" "), longestExcerpt)
}

function addTool(compressed: EpisodeEvent, event: TranscriptEvent, root: string | undefined): Command[] {
  if (event.tool !== undefined) compressed.tool_name = event.tool
  if (event.action !== undefined) compressed.action = event.action
  const [file] = event.files ?? []
  if (file !== undefined) compressed.file = excerpt(placePath(file, root))
  if (event.command === undefined) return []
  const { commands, head, shown } = commandOf(event.command, root)
  compressed.command = shown
  if (head !== undefined) compressed.head = head
  return commands
}

function addResult(compressed: EpisodeEvent, event: TranscriptEvent, root: string | undefined): void {
  const commands = addTool(compressed, event, root)
  if (event.exitCode !== undefined) compressed.exit_code = event.exitCode
  if (event.escalated) compressed.escalated = true
  const commit = commitMade(event.command ?? "", event.text)
  if (commit !== undefined) compressed.commit = show(commit, root)
  const test = event.action === "run" || event.action === "other" ? readTestRun(event, commands) : undefined
  if (test?.verdict !== undefined) compressed.test = test.verdict
  if (isError(event, commands, test?.verdict)) {
    compressed.is_error = true
    compressed.summary = show(event.text, root)
    addFailure(compressed, event.text, root)
  } else if (compressed.test === "failed") {
    compressed.summary = show(event.text, root, test)
    addFailure(compressed, event.text, root)
  } else if (tells(event, commands)) {
    compressed.summary = show(event.text, root, test)
  } else if (event.incident === undefined && event.text !== "") {
    compressed.summary = `${countLines(event.text)} lines`
  }
}

/** Only a program's own messages; file contents and search results are identified by path and never stored. */
function tells({ action }: TranscriptEvent, commands: readonly Command[]): boolean {
  return action === "run" ? !readsOnly(commands) : action === "other" || action === "ask"
}

function addFailure(compressed: EpisodeEvent, text: string, root: string | undefined): void {
  const line = findInformativeLine(text)
  if (line === undefined) return
  const snippet = show(text, root, line)
  const print = fingerprint(snippet)
  if (print !== undefined) compressed.fingerprint = print
  addSnippet(compressed, snippet)
  const rules = brokenRules(text).map(({ rule, message, line }) => {
    const shown = show(text, root, line) // redacted with what stands around it
    return shown.includes(message) ? `${rule}: ${message}` : undefined
  })
  const told = rules.filter((rule) => rule !== undefined)
  if (compressed.action === "run" && told.length > 0) compressed.rules = told
}

/** The storable part of a text: its beginning, or the passage at an offset. */
function show(text: string, root: string | undefined, place: { start?: number; end?: number } = {}): string {
  const { start = 0, end } = place
  return placePaths(excerpt(text, start, end === undefined ? undefined : end - start), root)
}

/** The decisive passage, unless the summary begins with it. */
function addSnippet(compressed: EpisodeEvent, snippet: string): void {
  if (snippet !== "" && !compressed.summary.startsWith(snippet.slice(0, 180))) compressed.raw_snippet = snippet
}

type KnownCommand = {
  line: string
  root: string | undefined
  commands: Command[]
  head: string | undefined
  shown: string
}

let last: KnownCommand | undefined

/** A call and its result have the same command line, so the last one is cached. */
function commandOf(line: string, root: string | undefined): KnownCommand {
  if (last !== undefined && last.line === line && last.root === root) return last
  const commands = unwrapCommands(line)
  const main = mainCommand(commands)
  last = { line, root, commands, head: main && headOf(main.words), shown: show(line, root) }
  return last
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

/**
 * Whether a result is a failure: by its exit code, else by the one in the log, else by error text at the beginning of a
 * line, except for read-only commands. A call refused by the user or blocked by the client is not a failure.
 */
export function isError(result: TranscriptEvent, commands: readonly Command[], test?: "passed" | "failed"): boolean {
  if (result.incident !== undefined) return false
  const { exitCode } = result
  if (exitCode !== undefined && stops.has(exitCode)) return false
  if (hidesMisuse(result, commands)) return true
  if (exitCode !== undefined) return exitCode !== 0 && !isAnswer(result, exitCode, commands)
  if (result.isError !== undefined) return result.isError && !isGuardrail(result) && !isAnswer(result, 1, commands)
  if (result.action === "read" || result.action === "search" || result.action === "ask" || readsOnly(commands))
    return false
  if (test === "passed") return false // tests may print the errors they provoke
  return findErrorLine(result.text) !== undefined && !isGuardrail(result)
}

/** Exit code 1 of grep, test or which with almost no output is an answer; so is that of diff with any output. */
function isAnswer({ text }: TranscriptEvent, exitCode: number, commands: readonly Command[]): boolean {
  if (exitCode !== 1 || commands.length === 0) return false
  return compares(commands.slice(-1)) || (answersByExitCode(commands) && withoutFrame(text).length <= littleText)
}

/** Ended by Ctrl-C, or by another process: a dev server that was stopped. */
const stops = new Set([130, 137, 143])

/**
 * A pipe has the exit code of its last program. That an earlier one was called in a wrong way shows at the beginning of
 * the output, and is all of it.
 */
function hidesMisuse({ action, text }: TranscriptEvent, commands: readonly Command[]): boolean {
  if (action !== "run" || commands.length < 2 || text.length > 1000) return false
  const line = text.trimStart().split("\n", 1)[0] ?? ""
  return /^(?:[\w./-]{1,40}: |error: )(?:illegal|invalid|unknown|unrecogni[sz]ed|unexpected) (?:option|argument|flag|(?:sub-?)?command)/i.test(
    line,
  )
}

const littleText = 40

function withoutFrame(text: string): string {
  return text.length > 2000 ? text : text.replace(frame, "").trim()
}

/** Text that clients add around an output. */
const frame =
  /^(?:Error: )?(?:Exit code:? ?\d+|Process exited with code \d+|Chunk ID: .*|Wall time: .*|Original token count: .*|Total output lines: .*|Output:|<?\(?no output\)?>?|<[^<>\n]{0,80}exit(?:ed with)? (?:exit )?code \d+>)\s*$/gim

/** Rules of the client, not failures of the work: the next attempt follows the rule and succeeds. */
function isGuardrail({ text }: TranscriptEvent): boolean {
  return guardrails.test(text.slice(0, 600))
}

const guardrails =
  /file has not been read yet|has been (?:unexpectedly modified|modified since)|(?:must|need to) (?:first )?(?:use the )?read (?:tool|the file|it first)|requested permissions? to|haven't granted|requires? approval|approval (?:is )?required|sibling tool call errored|cancelled: parallel tool call|request interrupted by user|doesn't want to (?:proceed|take)|(?:rejected|aborted|denied|cancelled|canceled|declined) by (?:the )?user|user (?:rejected|declined|cancelled|denied)|permission (?:to use \S{1,80} )?(?:has been|was) denied|blocked by (?:a )?(?:hook|policy|user)|for security, claude code may only|may only (?:access|concatenate|read)|no changes to make|exceeds maximum allowed|streaming fallback|tool is not (?:available|enabled)|not in plan mode|called with invalid arguments/i
