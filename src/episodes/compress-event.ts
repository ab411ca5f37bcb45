import type { TranscriptEvent } from "../clients/transcript-event.ts"
import type { Command } from "../formats/commands/split-command.ts"
import { unwrapCommands } from "../formats/commands/unwrap-command.ts"
import { findTellingLine } from "../formats/error-line.ts"
import { fingerprint } from "../formats/fingerprint.ts"
import { truncate } from "../formats/truncate.ts"
import { headOf, mainCommand } from "./commands/command-head.ts"
import { readsOnly } from "./commands/reads-only.ts"
import { readTestRun } from "./commands/test-run.ts"
import { isError } from "./detect-error.ts"
import type { EpisodeEvent } from "./episode.ts"
import { excerpt, longestExcerpt } from "./excerpt.ts"
import { placePath, placePaths } from "./place-path.ts"
import { hasAcceptance } from "./words/acceptance.ts"
import { frustrationIn } from "./words/frustration.ts"
import { asks, openerOf } from "./words/openers.ts"
import { ownWords } from "./words/own-words.ts"
import { findStatements } from "./words/statements.ts"

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
  else if (event.role === "assistant" && endsWithQuestion(event.text)) compressed.asks = true
}

/** Signals in the user's own words. */
function addWords(compressed: EpisodeEvent, text: string, root: string | undefined): void {
  const words = ownWords(text)
  const frustration = frustrationIn(words)
  if (frustration !== "none") compressed.frustration = frustration
  if (hasAcceptance(words)) compressed.accepts = true
  const opener = openerOf(words)
  if (opener !== undefined) compressed.opener = opener
  if (asks(words)) compressed.asks = true
  const statements = findStatements(words)
  const [first] = statements
  if (first === undefined) return
  compressed.statement = first.kind
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
  const line = findTellingLine(text)
  if (line === undefined) return
  const snippet = show(text, root, line)
  const print = fingerprint(snippet)
  if (print !== undefined) compressed.fingerprint = print
  addSnippet(compressed, snippet)
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
