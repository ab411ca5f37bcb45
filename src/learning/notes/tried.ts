import { findErrorLine } from "../../formats/error-line.ts"
import { type Command, programOf, unwrapCommands } from "../../formats/shell-command.ts"
import { toOneLine, truncate } from "../../formats/text.ts"
import type { EpisodeEvent } from "../../memories/episode.ts"
import { answersByExitCode, readsOnly } from "../episodes/command-head.ts"
import { isUsageError } from "../episodes/cures.ts"
import { attemptOf, isFailure, isSuccess } from "../episodes/episode-stats.ts"
import { aimOf } from "./statements.ts"

/** A change and the checks that judged it, or a command that failed and later passed. */
export type Try = {
  /** Its first and its last event, by index. */
  first: number
  last: number
  description: string
  files: string[]
  /** Each with its latest result. */
  runs: Run[]
  result: "success" | "failure" | "partial" | "in_progress"
  error?: string
  output?: string
  /** How often its checks ran. */
  iterations: number
}

/** Of the same events, by index: the whole messages, and the results that the client reports as errors. */
export type WorkTexts = { texts: ReadonlyMap<number, string>; refused: ReadonlySet<number> }

type Run = {
  key: string
  command: string
  at: number
  failed: boolean
  isTest: boolean
  isMisuse: boolean
  text: string
}

/**
 * What an agent tried, in order. Edits and the checks after them are one attempt until the next edit; a command that does
 * something else is an attempt of its own when it fails, and again when it passes after that. Repeated runs without an
 * edit between them are iterations.
 */
export function findTries(events: readonly EpisodeEvent[], { texts, refused }: WorkTexts): Try[] {
  const tries: Try[] = []
  /** Programs other than checks whose latest result is a failure, with the try that it is. */
  const failing = new Map<string, Try>()
  let change: Try | undefined
  let isJudged = false
  /** What the user said since the last edit, before any check. */
  let said: { event: EpisodeEvent; at: number } | undefined
  let aim: string | undefined
  let aimAt = -1
  let usedAim = -1
  const close = () => {
    if (change && said) settleUnjudged(change, said.event, said.at)
    change = undefined
    said = undefined
    isJudged = false
  }
  const begin = (at: number, otherwise: string): Try => {
    const isNews = aim !== undefined && aimAt !== usedAim
    if (isNews) usedAim = aimAt
    const begun: Try = {
      first: at,
      last: at,
      description: isNews && (otherwise === "" || aimAt > lastResultBefore(events, at)) ? (aim ?? "") : otherwise,
      files: [],
      runs: [],
      result: "in_progress",
      iterations: 0,
    }
    tries.push(begun)
    return begun
  }

  for (const [at, event] of events.entries()) {
    if (event.kind === "message") {
      if (event.role === "user") {
        if (isJudged) close()
        else if (change) said ??= { event, at }
        aim = undefined
      } else if (event.role === "assistant") {
        const stated = aimOf(texts.get(at) ?? event.summary)
        if (stated !== undefined) [aim, aimAt] = [stated, at]
      }
      continue
    }
    if (event.kind !== "tool_result" || event.incident !== undefined) continue
    if (event.action === "edit" && isSuccess(event) && !refused.has(at) && isOfWork(event.file)) {
      if (isJudged || said) close()
      change ??= begin(at, "")
      change.last = at
      if (event.file !== undefined && !change.files.includes(event.file)) change.files.push(event.file)
      continue
    }
    const run = event.action === "run" ? runOf(event, at) : undefined
    if (run === undefined) continue
    if (commits(event) && change && !run.failed && !isJudged) {
      said = undefined
      judge(change, run)
      close()
      continue
    }
    if (isCheck(event)) {
      if (change === undefined) {
        if (!run.failed) continue // nothing was changed, and nothing is wrong
        change = begin(at, `Run ${run.command}`)
      }
      said = undefined
      judge(change, run)
      isJudged = true
      continue
    }
    const before = failing.get(run.key)
    if (run.failed) {
      const same = before !== undefined && sameError(before, run) && (change === undefined || change.last < before.last)
      if (same && before) {
        judge(before, run)
        continue
      }
      const failed = begin(at, `Run ${run.command}`)
      judge(failed, run)
      failing.set(run.key, failed)
    } else if (before !== undefined) {
      failing.delete(run.key)
      const passed = begin(at, `Run ${run.command}`)
      judge(passed, run)
    }
  }
  close()
  const told = tries.filter(({ files, runs }) => files.length + runs.length > 0)
  for (const each of told) each.description = describe(each)
  return told
}

function lastResultBefore(events: readonly EpisodeEvent[], at: number): number {
  return events.slice(0, at).findLastIndex(({ kind }) => kind === "tool_result")
}

/** The aim that the agent stated, with a file if it is vague without one: "Fix that (src/upload.ts)". */
function describe({ description, files }: Try): string {
  const [first, ...others] = files
  if (first === undefined) return description
  if (description === "") return others.length === 0 ? `Edit ${first}` : `Edit ${first} and ${others.length} more`
  const name = first.split("/").at(-1) ?? first
  return description.length > 60 || description.includes(name) ? description : `${description} (${first})`
}

/** The client's own notes and plans, and temporary files, are not the work. */
function isOfWork(file: string | undefined): boolean {
  return file === undefined || !/^(?:~|\/|[A-Za-z]:|\.\.(?:\/|$))|(?:^|\/)\.(?:claude|codex|gemini)\//.test(file)
}

function judge(tried: Try, run: Run): void {
  tried.last = run.at
  tried.iterations++
  tried.runs = [...tried.runs.filter(({ key }) => key !== run.key), run]
  const failed = tried.runs.filter((each) => each.failed && !tried.runs.some((other) => isOvercome(each, other)))
  tried.result =
    failed.length === 0 ? "success" : failed.length === tried.runs.length || run.failed ? "failure" : "partial"
  delete tried.error
  delete tried.output
  const decisive = failed.at(-1) ?? run
  if (failed.length > 0) tried.error = decisive.text
  else if (run.text !== "") tried.output = run.text
}

/** A wrong call is overcome by a right one; a failed test only by the same run. */
function isOvercome(failed: Run, run: Run): boolean {
  if (run.failed || failed.at >= run.at) return false
  return failed.isMisuse || (!failed.isTest && programOfKey(failed.key) === programOfKey(run.key))
}

function programOfKey(key: string): string {
  return key.split(" ")[0] ?? key
}

function sameError(before: Try, run: Run): boolean {
  return before.error?.slice(0, 60) === run.text.slice(0, 60)
}

/** No command judged these edits before the user spoke again: the user's words may. */
function settleUnjudged(change: Try, said: EpisodeEvent, at: number): void {
  if (change.runs.length > 0) return
  if (said.accepts === true) change.result = "success"
  else if (said.opener === "correction") {
    change.result = "failure"
    change.error = said.summary
  } else change.result = "partial"
  change.last = Math.max(change.last, change.result === "partial" ? change.last : at)
  if (change.result === "partial") change.output = "Not checked by any command"
}

const longestCommand = 120

function runOf(event: EpisodeEvent, at: number): Run | undefined {
  const key = attemptOf(event)
  if (key === undefined || event.command === undefined) return undefined
  const failed = isFailure(event)
  if (!failed && !isSuccess(event)) return undefined
  const commands = unwrapCommands(event.command)
  if (readsOnly(commands) || (answersByExitCode(commands.slice(-1)) && event.test === undefined)) return undefined
  const isTest = event.test !== undefined
  if (!failed && !isTest && commands.some(({ joint }) => joint === "|") && findErrorLine(event.summary))
    return undefined // the pipe hides how it ended
  if (!isTest && (runsOwnProgram(commands) || probes.test(event.command))) return undefined
  return {
    key: isTest ? plainCommand(event.command) : key,
    command: truncate(plainCommand(event.command), longestCommand),
    at,
    failed,
    isTest,
    isMisuse: failed && isUsageError(event),
    text: toOneLine(failed ? (event.raw_snippet ?? event.summary) : isTest ? event.summary : ""),
  }
}

/** What was just built may be meant to fail. */
function runsOwnProgram(commands: readonly Command[]): boolean {
  const [program = ""] = commands.at(-1)?.words ?? []
  return /^(?:\.{1,2})?\//.test(program) && !/(?:\.(?:sh|py|[cm]?js|ts|rb)|gradlew|mvnw|\/bin\/[\w.-]+)$/.test(program)
}

const probes = /(?:^|\s)(?:--version|--help|-h|-V)\s*(?:$|[;|&>2])/

/** Without its directory, output redirection and what only shortens the output. */
function plainCommand(command: string): string {
  return toOneLine(
    command
      .replace(/^\s*cd [^;&|\n]{1,300}(?:&&|;)\s*/, "")
      .replace(/(\s(?:-[a-z]*m|--message)[ =]?)(["'])[\s\S]*?(?:\2(?=\s|$)|$)/g, '$1"…"')
      .replace(/\s*(?:<<-?\s?\\?['"]?\w|2>&1|\|\s*(?:tail|head|grep|tee|sed|awk|cat)\b|>\s*\/dev\/null).*$/s, ""),
  )
}

/** Commands that judge what was changed. */
function isCheck(event: EpisodeEvent): boolean {
  if (event.test !== undefined) return true
  return unwrapCommands(event.command ?? "").some(({ words }) => {
    const called = words.slice(0, 4).join(" ")
    return !handlesFiles.has(programOf(words)) && (checks.test(called) || scripts.test(called))
  })
}

const handlesFiles = new Set(
  "rm mkdir cd cp mv ls cat echo printf git touch chmod find grep rg sed head tail curl open".split(" "),
)
const checks =
  /(?:^|[\s/;&:])(?:tests?|vitest|jest|pytest|mocha|rspec|phpunit|ctest|tsc|vue-tsc|type-?check|check-types|lint|eslint|biome|clippy|check|checks|verify|build|compile|vet|mypy|pyright|ruff|flake8|golangci-lint|shellcheck|make|gradlew?|mvnw?|validate)(?=$|[\s:;&])/i
/** Scripts of the project that end by themselves. */
const scripts =
  /(?:^|[\s;&])(?:npm|pnpm|yarn|bun|mise|just|task|go|cargo|dotnet) run (?!(?:dev|start|serve|watch|install|prepare)\b)\S/i

/** A repository that was made to try something. */
const elsewhere = /\bgit init\b|^\s*cd \/(?:tmp|private|var)\b/

function commits({ command = "" }: EpisodeEvent): boolean {
  return (
    !elsewhere.test(command) && /\bgit\b(?:\s+-[cC]\s+\S+)*\s+commit\b(?![^;&|]*\s(?:--no-verify|-n)\b)/.test(command)
  )
}
