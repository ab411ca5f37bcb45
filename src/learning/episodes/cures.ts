import { type Command, programOf, splitCommand, unwrapCommands } from "../../formats/shell-command.ts"
import type { EpisodeEvent } from "../../memories/episode.ts"
import { answersByExitCode, readsOnly } from "./command-head.ts"
import { isFailure, isSuccess } from "./episode-stats.ts"

/** A command that failed, and what an episode shows about why it passed later. */
export type FailedCommand = {
  /** The failing results in a row, by index, and the one that the cure is for. */
  failures: number[]
  failure: number
  failed: CommandLine
  cure: Cure
}

export type Cure =
  /** One other command was run in between, and nothing else changed. */
  | { kind: "command"; command: CommandLine; success: number }
  /** Nothing was changed: the command was called in another way. `passed`: not only this error was gone. */
  | { kind: "form"; failed: CommandLine; worked: CommandLine; success: number; passed: boolean }
  /** The same command, outside of the client's sandbox. */
  | { kind: "sandbox"; success: number }
  /** A formatter was run and other things were changed: it may have been part of the cure of a style check. */
  | { kind: "fixer"; command: CommandLine; success: number }
  /** The same command passed without any change. */
  | { kind: "nothing"; success: number }
  /** Only files were edited in between. */
  | { kind: "edit"; files: string[]; success: number }
  /** It passed, but for one of several reasons, or one that the transcript does not show. */
  | { kind: "unclear"; success: number }
  /** It did not pass again in this episode. */
  | { kind: "none" }

/** The failed commands of an episode, each until it passes; commands that cannot be repeated elsewhere are left out. */
export function failedCommandsIn(events: readonly EpisodeEvent[]): FailedCommand[] {
  const found: FailedCommand[] = []
  const handled = new Set<number>()
  for (const [index, event] of events.entries()) {
    if (handled.has(index) || event.action !== "run" || !isFailure(event)) continue
    const failed = plainCommand(event.command)
    if (failed === undefined) continue
    const run = runOf(events, index, failed)
    for (const at of run.failures) handled.add(at)
    found.push({ failures: run.failures, failed, ...cureOf(events, failed, run) })
  }
  return found
}

type Run = { failures: number[]; success: number | undefined }

/** Repeated attempts of one command up to the one that passes. */
function runOf(events: readonly EpisodeEvent[], first: number, failed: CommandLine): Run {
  const failures = [first]
  for (const [offset, event] of events.slice(first + 1).entries()) {
    if (event.kind !== "tool_result" || event.action !== "run" || event.incident !== undefined) continue
    const line = plainCommand(event.command)
    if (line === undefined || !includesRun(line, failed)) continue
    const at = first + 1 + offset
    if (isSuccess(event)) return { failures, success: at }
    if (isSame(line, failed)) failures.push(at)
  }
  return { failures, success: undefined }
}

function cureOf(
  events: readonly EpisodeEvent[],
  failed: CommandLine,
  run: Run,
): Pick<FailedCommand, "failure" | "cure"> {
  const last = run.failures.at(-1) ?? 0
  for (const failure of run.failures) {
    const cure = correctedForm(events, failed, failure, run.success)
    if (cure !== undefined) return { failure, cure }
  }
  return {
    failure: last,
    cure: run.success === undefined ? { kind: "none" } : causeOf(events, failed, last, run.success),
  }
}

/** Why a command passed, after its last failure. */
function causeOf(events: readonly EpisodeEvent[], failed: CommandLine, last: number, success: number): Cure {
  const passed = plainCommand(events[success]?.command)
  const between = events.slice(last + 1, success)
  if (passed === undefined || between.some(isPersons) || recurs(events, last, success))
    return { kind: "unclear", success }
  const effects = [...between.flatMap(effectsOf), ...beforeThePass(passed, failed)]
  const edits = effects.flatMap((effect) => (effect.kind === "edit" ? [effect.file] : []))
  const commands = new Map(
    effects.flatMap((effect) => (effect.kind === "command" ? [[effect.command.text, effect.command] as const] : [])),
  )
  const [command, ...others] = commands.values()
  const isUnclear = effects.some(({ kind }) => kind === "unclear") || others.length > 0
  const fixer = [...commands.values()].find((each) => formats.test(each.text) && checksStyle.test(failed.text))
  if (fixer && (isUnclear || edits.length > 0)) return { kind: "fixer", command: fixer, success }
  if (isUnclear) return { kind: "unclear", success }
  if (command !== undefined) {
    const isLikely = edits.length === 0 && mayCure(command, failed)
    return isLikely ? { kind: "command", command, success } : { kind: "unclear", success }
  }
  if (edits.length > 0) return { kind: "edit", files: [...new Set(edits)], success }
  return { kind: "nothing", success }
}

/** A person who spoke in between may have changed something. */
function isPersons({ role, kind, incident }: EpisodeEvent): boolean {
  return incident !== undefined || (role === "user" && kind === "message")
}

/** The same failure again, later in the episode: what seemed to help did not. */
function recurs(events: readonly EpisodeEvent[], failure: number, success: number): boolean {
  const print = events[failure]?.fingerprint
  return print !== undefined && events.slice(success).some((event) => isFailure(event) && event.fingerprint === print)
}

/** A formatter changes how code looks: it cures what checks this, not a test. */
function mayCure(command: CommandLine, failed: CommandLine): boolean {
  return !formats.test(command.text) || checksStyle.test(failed.text)
}

/** Programs that change how code looks. */
const formats = /\b(?:fmt|format|prettier|biome|eslint|ruff|black|gofmt|rustfmt|lint|fix)\b/i
/** Checks of how code looks, and what runs them. */
export const checksStyle =
  /\b(?:lint|check|fmt|format|prettier|biome|eslint|ruff|black|commit|push|verify|ci|clippy|standard)\b/i

const mostTries = 6

/**
 * The next attempt that differs from the failed one in how it is called, and passes before anything else was changed:
 * with an option or a variable more, through another wrapper or without one, outside of the sandbox.
 */
function correctedForm(
  events: readonly EpisodeEvent[],
  failed: CommandLine,
  failure: number,
  success: number | undefined,
): Cure | undefined {
  const error = events[failure]
  const isMisuse = error !== undefined && isUsageError(error)
  let tries = 0
  for (let at = failure + 1; at <= (success ?? events.length - 1) && tries < mostTries; at++) {
    const event = events[at]
    if (event === undefined || error === undefined || isPersons(event)) return undefined
    const isRun = event.kind === "tool_result" && event.action === "run"
    const worked = isRun ? plainCommand(event.command) : undefined
    if (worked !== undefined && overcomes(event, error) && !looksAway(worked)) {
      if (event.escalated && !error.escalated && isSame(worked, failed)) return { kind: "sandbox", success: at }
      const isRepeated = at === success && !(isMisuse && isElsewhere(failed, worked))
      const change = isRepeated ? undefined : changeOfForm(failed, worked, isMisuse ? tellingText(error) : undefined)
      if (change !== undefined) return { kind: "form", ...change, success: at, passed: isSuccess(event) }
    }
    if (!isMisuse && effectsOf(event).length > 0) return undefined
    if (isRun) tries++
  }
  return undefined
}

/** It passed, or at least failed for another reason. */
function overcomes(event: EpisodeEvent, error: EpisodeEvent): boolean {
  if (!isFailure(event)) return true
  return event.fingerprint !== undefined && event.fingerprint !== error.fingerprint && !isUsageError(event)
}

/** The error says that the command was called in a wrong way: editing code does not cure it. */
export function isUsageError(event: EpisodeEvent): boolean {
  return usage.test(tellingText(event))
}

function tellingText({ raw_snippet, summary }: EpisodeEvent): string {
  return `${raw_snippet ?? ""}\n${summary}`
}

const usage =
  /unrecogni[sz]ed (?:sub-?)?(?:command|option|argument|flag)|unknown (?:sub-?)?(?:command|option|argument|flag)|(?:illegal|invalid|unexpected|unsupported) (?:option|argument|flag)\b|no such (?:option|(?:sub)?command)|missing script|script not found|command not found|command "[^"]+" not found|is not recogni[sz]ed as|found argument .{1,40} which wasn't expected|could not (?:read|find) .{0,200}(?:package\.json|Cargo\.toml|pyproject\.toml)|cannot find main module|no rule to make target|no makefile found/i

/** How the second call does what the first was to do, reduced to what matters; undefined if it does something else. */
function changeOfForm(
  failed: CommandLine,
  worked: CommandLine,
  misuse: string | undefined,
): { failed: CommandLine; worked: CommandLine } | undefined {
  const before = failed.commands.at(-1)
  const after = worked.commands.at(-1)
  if (before === undefined || after === undefined || asksForHelp(after.words)) return undefined
  const wrapper = wrapperWithout(before.words, after.words, misuse)
  if (wrapper !== undefined) return wrapper
  if (misuse !== undefined && isElsewhere(failed, worked)) return { failed, worked }
  if (failed.commands.length !== worked.commands.length) return undefined
  const differing = failed.commands.flatMap((each, at) => {
    const other = worked.commands[at] ?? each
    return keyOf(each) === keyOf(other) ? [] : [{ was: each.words, is: other.words }]
  })
  const [only, ...others] = differing
  if (only === undefined || others.length > 0) return undefined
  const isSameDeed = adds(only.was, only.is) || replaces(only.was, only.is, misuse)
  return isSameDeed ? { failed: lineOf(only.was), worked: lineOf(only.is) } : undefined
}

/** "rtk bun" has no subcommand "bun", and `bun` is called directly: true of everything that begins like this. */
function wrapperWithout(was: readonly string[], is: readonly string[], misuse: string | undefined) {
  const [wrapper = "", wrapped = ""] = was
  if (misuse === undefined || is[0] !== wrapped || !hasWord(misuse, wrapped)) return undefined
  if (!/(?:sub-?)?command/i.test(misuse)) return undefined
  return { failed: lineOf([wrapper, wrapped]), worked: lineOf([wrapped]) }
}

/** The same command in another folder of the project. */
function isElsewhere(failed: CommandLine, worked: CommandLine): boolean {
  const [here, there] = [failed, worked].map(({ commands }) => commands.filter(({ words }) => words[0] !== "cd"))
  const isSameRun = here?.map(keyOf).join("\n") === there?.map(keyOf).join("\n")
  return isSameRun && there !== undefined && there.length > 0 && worked.commands[0]?.words[0] === "cd"
}

/** Options, a variable or a wrapper more, and nothing less. */
function adds(was: readonly string[], is: readonly string[]): boolean {
  const added = [...is]
  for (const word of was) {
    const at = added.indexOf(word)
    if (at === -1) return false
    added.splice(at, 1)
  }
  const telling = added.filter((word) => !talks.test(word))
  const start = is.length - was.length
  const isWrapped = is.slice(start).every((word, at) => word === was[at])
  return (
    telling.length > 0 &&
    !telling.some((word) => narrows.test(word)) &&
    (isWrapped || telling.every((word) => /^--?[a-z]/i.test(word)))
  )
}

/** The option or the program that the error names was replaced, and the rest kept. */
function replaces(was: readonly string[], is: readonly string[], misuse: string | undefined): boolean {
  if (misuse === undefined || was.length !== is.length) return false
  const changed = was.flatMap((word, at) => (word === is[at] ? [] : [at]))
  const [at = -1, ...others] = changed
  const word = was[at] ?? ""
  return (
    others.length === 0 &&
    was.length > 1 &&
    (at === 0 || word.startsWith("-")) &&
    hasWord(misuse, word.replace(/^-+/, ""))
  )
}

function hasWord(text: string, word: string): boolean {
  return word !== "" && new RegExp(`(?<!\\w)${word.replace(/[\\^$.*|?+()[\]{}/]/g, "\\$&")}(?![\\w-])`).test(text)
}

function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => /^(?:-h|--help|--version|-V|help)$/.test(word))
}

function lineOf(words: string[]): CommandLine {
  return { text: words.map(quoted).join(" "), commands: [{ words, joint: "" }] }
}

/** Commands that the passing line ran before the one that had failed. */
function beforeThePass(passed: CommandLine, failed: CommandLine): Effect[] {
  const wanted = new Set(failed.commands.map(keyOf))
  const first = passed.commands.findIndex((command) => wanted.has(keyOf(command)))
  return passed.commands.slice(0, first).flatMap(effectOf)
}

type Effect = { kind: "command"; command: CommandLine } | { kind: "edit"; file: string } | { kind: "unclear" }

/** What an event may have changed. Failed, refused and reading calls change nothing; checks do not either. */
function effectsOf(event: EpisodeEvent): Effect[] {
  if (event.incident !== undefined || event.kind !== "tool_result") return []
  if (event.action === "edit") return isFailure(event) ? [] : [{ kind: "edit", file: event.file ?? "" }]
  if (event.action === "other") return readsByName.test(event.tool_name ?? "") ? [] : [{ kind: "unclear" }]
  if (event.action !== "run" || event.command === undefined) return []
  if (writesFile.test(event.command)) return [{ kind: "edit", file: "" }]
  if (isFailure(event)) return []
  const line = plainCommand(event.command)
  if (line === undefined)
    return unwrapCommands(event.command).every((command) => effectOf(command).length === 0) &&
      !event.command.includes("…")
      ? []
      : [{ kind: "unclear" }]
  const effects = line.commands.flatMap(effectOf)
  if (effects.length === 0 || effects.some(({ kind }) => kind !== "command")) return effects
  return [{ kind: "command", command: line }]
}

/** Tools that are neither a shell nor an editor, and by their name only look or note. */
const readsByName =
  /todo|plan|think|get|list|search|read|find|query|fetch|resolve|skill|report|snapshot|screenshot|status|log|view|show/i

/** A redirection into a file of the project. */
const writesFile = /(?<![<>=&\d-])>>?\s*(?!\s*(?:\/dev\/|\/tmp\/|&|\$))[\w."'/$~]/

function effectOf(command: Command): Effect[] {
  const { words } = command
  const program = programOf(words)
  const target = words.at(-1) ?? ""
  if (writers.has(program) || (program === "sed" && words.some((word) => /^-i|^--in-place/.test(word))))
    return [{ kind: "edit", file: target }]
  if (program === "" || readsOnly([command]) || answersByExitCode([command]) || idle.has(program) || isCheck(words))
    return []
  if (program === "git" || program === "gh") return gitEffect(words)
  if (inline.test(words.slice(0, 3).join(" "))) return [{ kind: "unclear" }]
  if (moves.has(program) && isSource.test(target)) return [{ kind: "edit", file: target }]
  return [{ kind: "command", command: { text: textOf([command]), commands: [command] } }]
}

function gitEffect(words: readonly string[]): Effect[] {
  const verb = words.slice(1).find((word) => !word.startsWith("-")) ?? ""
  if (/^(?:submodule|lfs|worktree|config|init)$/.test(verb))
    return [
      { kind: "command", command: { text: words.map(quoted).join(" "), commands: [{ words: [...words], joint: "" }] } },
    ]
  return changesTree.test(verb) ? [{ kind: "edit", file: "" }] : []
}

const changesTree =
  /^(?:checkout|switch|stash|reset|pull|merge|rebase|apply|am|restore|clean|revert|cherry-pick|rm|mv)$/
const idle = new Set(
  "cd pushd popd echo printf sleep wait true false set : pwd ls timeout exit return shopt".split(" "),
)
const writers = new Set("tee patch perl ed ex dd truncate install apply_patch".split(" "))
const moves = new Set("rm mv cp touch ln".split(" "))
const isSource = /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|c|cc|cpp|h|hpp|swift|php|vue|svelte|s?css|html?|mdx?|sql)$/i
const inline = /^(?:python|ruby|node|perl|php|deno|bun)\d?(?:\.\d+)? (?:-[cep]\b|--eval|-$|-\s|<<|$)/

/** Runs that look at the code and leave it as it is. */
function isCheck(words: readonly string[]): boolean {
  const line = words.join(" ")
  return looksAtCode.test(line) && !changesCode.test(line)
}

const looksAtCode =
  /(?:^|[\s:/-])(?:tests?|spec|lint|check|typecheck|type-check|tsc|vet|clippy|pytest|vitest|jest|mocha|rspec|cypress|playwright|knip|audit|verify|coverage|bench|e2e|golangci-lint|eslint|mypy|pyright|status|--version|--help)(?:$|[\s:.-])/
const changesCode = /--(?:write|fix|apply|unsafe)\b|:fix\b|\bfix\b|-u\b|--update/

/** A command line that another agent could run. */
export type CommandLine = { text: string; commands: Command[] }

const longestCommand = 120

/**
 * Removes machine-specific folders and output truncation; undefined if nothing reusable is left, or if it needs more
 * than programs and arguments: input from a file, loops, substitutions, ignored failures.
 */
export function plainCommand(written: string | undefined): CommandLine | undefined {
  if (written === undefined || /[\n`…<]|\$\(|\|\||\[redacted\]|^\s*(?:for|while|if)\b/.test(written)) return undefined
  const commands = withoutViewers(withoutWayThere(splitCommand(written)))
  const text = textOf(commands)
  return text === "" || [...text].length > longestCommand ? undefined : { text, commands }
}

function textOf(commands: readonly Command[]): string {
  return commands
    .map(
      ({ words, joint }, index) => `${words.map(quoted).join(" ")}${index === commands.length - 1 ? "" : ` ${joint} `}`,
    )
    .join("")
    .replaceAll(" ; ", "; ")
}

function withoutWayThere(commands: readonly Command[]): Command[] {
  const first = commands.findIndex(
    ({ words }) => !(words[0] === "cd" && /^(?:\/|~|\$|\.?$|[A-Za-z]:)/.test(words[1] ?? "")),
  )
  return first === -1 ? [] : commands.slice(first)
}

/** Pipes that shorten the output, and read-only commands at the end. */
function withoutViewers(commands: readonly Command[]): Command[] {
  const kept = [...commands]
  while (kept.length > 1 && isViewer(kept.at(-1))) kept.pop()
  return kept
}

function isViewer(command: Command | undefined): boolean {
  return command !== undefined && (readsOnly([command]) || ["tee", "out-file"].includes(programOf(command.words)))
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./~*{}[\]!?^-]+$/.test(word)) return word
  return word.includes("'") ? `"${word}"` : `'${word}'`
}

/** A command without what only changes its output. */
function keyOf({ words }: Command): string {
  return words.filter((word, at) => !talks.test(word) && !/^-(?:m|-message)$/.test(words[at - 1] ?? "")).join(" ")
}

/** Whether a line runs everything that another one ran, on the same targets. */
function includesRun(line: CommandLine, other: CommandLine): boolean {
  const run = new Set(line.commands.map(keyOf))
  return other.commands.every((command) => run.has(keyOf(command)))
}

function isSame(one: CommandLine, other: CommandLine): boolean {
  return includesRun(one, other) && includesRun(other, one)
}

/** Options that select tests or packages, or the action: such a pass is not comparable. */
const narrows =
  /^--?(?:[ceghkmnprtFh]|eval|command|execute|host|run|test|filter|grep|package|project|testNamePattern|testPathPattern|tests|only|bail|message|title|body|help|version|dry-run|list|since|changed|related)(?:=|$)/

/** Options that only change the output. */
const talks =
  /^--?(?:v+|q|s|verbose|quiet|silent|no-color|color|reporter|format|tb|pretty|progress|stat|oneline|short|porcelain|nocapture|no-pager|json)(?:=|$)/

/** A success reached by skipping checks is not worth repeating. */
export function looksAway({ text }: CommandLine): boolean {
  return /--no-verify|--force\b|--skip|-DskipTests|--ignore|--no-check|--allow-dirty|\s-f\b|--exclude|--passWithNoTests|--break-system|--unsafe|--insecure/i.test(
    text,
  )
}
