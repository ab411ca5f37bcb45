import type { EpisodeEvent } from "../../memories/episode.ts"
import {
  asksForHelp,
  type CommandLine,
  includesRun,
  isSame,
  keyOf,
  lineOf,
  looksAway,
  narrows,
  plainCommand,
  talks,
} from "./command-line.ts"
import { type Effect, effectOf, effectsOf } from "./effects.ts"
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
  /** The same command in the folder where the session began, after it had failed for being called elsewhere. */
  | { kind: "root"; success: number }
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
    const { failure, cure } = cureOf(events, failed, run)
    const overcome = cure.kind === "root" || cure.kind === "form" ? cure.success : events.length // then it may fail for another reason
    const failures = run.failures.filter((at) => at < overcome)
    for (const at of failures) handled.add(at)
    found.push({ failures, failed, failure, cure })
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
      if (isMisuse && isSame(worked, failed)) {
        const isFromRoot = goesToRoot.test(event.command ?? "") && !goesToRoot.test(error.command ?? "")
        return isFromRoot ? { kind: "root", success: at } : undefined // the same call: its form was not the cause
      }
      const isRepeated = at === success && !(isMisuse && isElsewhere(failed, worked))
      const change = isRepeated ? undefined : changeOfForm(failed, worked, isMisuse ? tellingText(error) : undefined)
      if (change !== undefined) return { kind: "form", success: at, passed: isSuccess(event), ...change }
    }
    if (!isMisuse && effectsOf(event).length > 0) return undefined
    if (isRun) tries++
  }
  return undefined
}

/** The folder where the session began is shown as a point. */
const goesToRoot = /^\s*cd \.\/? *(?:&&|;)/

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
): { failed: CommandLine; worked: CommandLine; passed?: true } | undefined {
  const before = failed.commands.at(-1)
  const after = worked.commands.at(-1)
  if (before === undefined || after === undefined || asksForHelp(after.words)) return undefined
  const wrapper = wrapperWithout(before.words, after.words, misuse)
  if (wrapper !== undefined) return wrapper
  if (misuse !== undefined && isElsewhere(failed, worked)) return { failed, worked }
  const home = withoutFolder(before.words, after.words, misuse)
  if (home !== undefined) return home
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

/** `npm --prefix web test` has no script "test", and `npm test` has one. */
function withoutFolder(was: readonly string[], is: readonly string[], misuse: string | undefined) {
  const at = was.findIndex((word) => /^(?:--prefix|--cwd|--dir|-C)$/.test(word))
  if (misuse === undefined || at === -1 || was[0] !== is[0] || /^(?:--prefix|--cwd|--dir|-C)/.test(is[1] ?? ""))
    return undefined
  const [script, worked] = [[...was.slice(0, at), ...was.slice(at + 2)], is].map((words) => scriptWords(words)[0] ?? "")
  if (script !== worked || script === undefined || !hasWord(misuse, script)) return undefined
  const end = (words: readonly string[]) => lineOf(words.slice(0, words.indexOf(script) + 1))
  return { failed: end(was), worked: end(is), passed: true as const } // it exists there, whatever its result
}

/** The same command in another folder of the project. */
function isElsewhere(failed: CommandLine, worked: CommandLine): boolean {
  const [here, there] = [failed, worked].map(({ commands }) => commands.filter(({ words }) => words[0] !== "cd"))
  const isSameRun = here?.map(keyOf).join("\n") === there?.map(keyOf).join("\n")
  const [cd, folder = ""] = worked.commands[0]?.words ?? []
  return isSameRun && there !== undefined && there.length > 0 && cd === "cd" && !folder.startsWith("..")
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
  if (misuse === undefined) return false
  if (runsNamesake(was, is, misuse)) return true
  if (was.length !== is.length) return false
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

/** There is no script "test", and "test:unit" is run instead. */
function runsNamesake(was: readonly string[], is: readonly string[], misuse: string): boolean {
  const [script, ...rest] = scriptWords(was)
  const [instead = "", ...others] = scriptWords(is)
  if (script === undefined || was[0] !== is[0] || !/script|task|target|rule/i.test(misuse)) return false
  const [namesake, ...parts] = instead.split(/[:_.-]/)
  const isNamesake = namesake === script && parts.length > 0 && !parts.some((part) => otherDeed.test(part))
  return isNamesake && hasWord(misuse, script) && rest.join(" ") === others.join(" ")
}

/** `lint:fix` does not do what `lint` does. */
const otherDeed = /^(?:fix|write|watch|dev|debug|update|clean|help|list|only)$/

function scriptWords(words: readonly string[]): string[] {
  return words.slice(1).filter((word) => word !== "run")
}

function hasWord(text: string, word: string): boolean {
  return word !== "" && new RegExp(`(?<!\\w)${word.replace(/[\\^$.*|?+()[\]{}/]/g, "\\$&")}(?![\\w-])`).test(text)
}

/** Commands that the passing line ran before the one that had failed. */
function beforeThePass(passed: CommandLine, failed: CommandLine): Effect[] {
  const wanted = new Set(failed.commands.map(keyOf))
  const first = passed.commands.findIndex((command) => wanted.has(keyOf(command)))
  return passed.commands.slice(0, first).flatMap(effectOf)
}
