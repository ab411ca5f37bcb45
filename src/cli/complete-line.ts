import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { NameKind } from "../drey/search.ts"

/*
 * Completes a command line from the shapes of the commands alone: the build writes them to a file, so that a Tab loads no command.
 */

/** What completion needs to know of a command. */
export type CommandShape = {
  name: string
  aliases: string[]
  summary: string
  options: OptionShape[]
  arguments: ValueShape[]
  commands: CommandShape[]
}

/** An option's value or an argument; `name` is that in the help: "agent name" for `--agent <name>`. */
export type ValueShape = { name: string; description: string; variadic: boolean; choices?: string[] }
export type OptionShape = ValueShape & { long: string; short: string; takes: "nothing" | "a value" | "maybe a value" }

/** Completions at the cursor: known words, or a kind of names that the caller looks up. */
export type LineCompletion =
  | { kind: "words"; words: CompletionCandidate[] }
  | { kind: "files" | "folders" | "nothing" | NameKind }

export type CompletionCandidate = { word: string; description: string }

/** Completes the last of these words, which follow `drey` on a command line. Candidates are not filtered by prefix: shells do that. */
export function completeLine(program: CommandShape, words: readonly string[]): LineCompletion {
  const place = walk(program, words.slice(0, -1))
  const { command, parent, option, operands, isPastOptions } = place
  const current = words.at(-1) ?? ""
  const [flag = "", value] = splitAtEquals(current)
  if (value !== undefined && !isPastOptions) return valuesOf(findOption(command, flag), `${flag}=`)
  if (current.startsWith("-") && !isPastOptions && !(option?.takes === "a value" && !option.variadic))
    return { kind: "words", words: optionsOf(command) }
  if (option) return valuesOf(option)
  const commands = operands === 0 && !isPastOptions ? commandsOf(command) : []
  const argument = command.arguments[Math.min(operands, command.arguments.length - 1)]
  const isTaken = argument === undefined || (operands >= command.arguments.length && !argument.variadic)
  if (commands.length > 0 || isTaken) return { kind: "words", words: commands }
  const isId = argument.name === "id" || argument.name === "ids"
  return isId ? { kind: idsOf(command.name, parent?.name) } : valuesOf(argument)
}

type Place = {
  command: CommandShape
  parent: CommandShape | undefined
  option: OptionShape | undefined
  operands: number
  isPastOptions: boolean
}

/** The parse state after these words: the command, and an option that still needs its value. */
function walk(program: CommandShape, words: readonly string[]): Place {
  const place: Place = { command: program, parent: undefined, option: undefined, operands: 0, isPastOptions: false }
  for (const word of words) {
    if (word === "=" && place.option) continue // bash cuts a line at it
    if (place.option && (!word.startsWith("-") || (place.option.takes === "a value" && !place.option.variadic))) {
      if (!place.option.variadic) place.option = undefined
      continue
    }
    place.option = undefined
    if (place.isPastOptions) place.operands++
    else if (word === "--") place.isPastOptions = true
    else if (word.startsWith("-")) place.option = valued(findOption(place.command, word))
    else {
      const next = place.operands === 0 ? findCommand(place.command, word) : undefined
      if (next) [place.parent, place.command] = [place.command, next]
      else place.operands++
    }
  }
  return place
}

function findCommand(parent: CommandShape, word: string): CommandShape | undefined {
  return parent.commands.find(({ name, aliases }) => name === word || aliases.includes(word))
}

function findOption(command: CommandShape, flag: string): OptionShape | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag)
}

function valued(option: OptionShape | undefined): OptionShape | undefined {
  return option?.takes === "nothing" ? undefined : option
}

function splitAtEquals(word: string): [string, string?] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

function commandsOf(command: CommandShape): CompletionCandidate[] {
  return command.commands.map(({ name, summary }) => ({ word: name, description: summary }))
}

function optionsOf(command: CommandShape): CompletionCandidate[] {
  return command.options.map(({ long, short, description }) => ({ word: long || short, description }))
}

function valuesOf(wanted: ValueShape | undefined, before = ""): LineCompletion {
  if (wanted === undefined) return { kind: "nothing" }
  const { name, choices, description } = wanted
  const listed = choices ?? (name.includes("=") ? [] : wordsListedIn(description)) // text=status has two parts
  if (listed.length > 0)
    return { kind: "words", words: listed.map((word) => ({ word: before + word, description: "" })) }
  return { kind: kinds.find(([pattern]) => pattern.test(name))?.[1] ?? "nothing" }
}

const kinds: [RegExp, Exclude<LineCompletion["kind"], "words">][] = [
  [/\b(?:dir|folder)\b/, "folders"],
  [/\b(?:files?|paths?)\b/, "files"],
  [/^(?:agent|author) name/, "agents"],
  [/^session /, "sessions"],
  [/^(?:what|entry)$/, "items"],
]

/** Whose ids a command takes. */
function idsOf(command: string, parent = ""): NameKind | "nothing" {
  if (parent === "session") return "sessions"
  if (parent === "memory") return "governed"
  if (parent === "attempt" || parent === "inbox") return "nothing"
  return command === "pin" ? "learned" : "items"
}

/** The words of a help that lists all there are: "ALWAYS, ON-DEMAND or NEVER; default: ALWAYS". */
export function wordsListedIn(description: string): string[] {
  const list = /(?:^|: )((?:[\w-]+, )+[\w-]+(?: or [\w-]+)?)(?:;|$)/.exec(description)?.[1]
  return list?.split(/, | or /) ?? []
}

export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

/** What a shell reads: its candidates that begin with the word typed, or that it completes files or folders itself. */
export function renderCompletion(shell: Shell, completion: LineCompletion, typed: string): string {
  if (completion.kind === "files" || completion.kind === "folders") return `:${completion.kind}\n`
  return completion.kind === "words" ? renderCandidates(shell, candidatesFor(completion.words, typed)) : ""
}

export function candidatesFor(words: readonly CompletionCandidate[], typed: string): CompletionCandidate[] {
  return words.filter(({ word }) => typed === "=" || word.startsWith(typed))
}

/** One candidate a line, as the shell's script takes them: zsh and fish show what each means. */
export function renderCandidates(shell: Shell, candidates: readonly CompletionCandidate[]): string {
  return candidates.map((candidate) => `${render[shell](candidate)}\n`).join("")
}

const render: Record<Shell, (candidate: CompletionCandidate) => string> = {
  bash: ({ word }) => word,
  zsh: ({ word, description }) =>
    description === "" ? escapeColons(word) : `${escapeColons(word)}:${brief(description)}`,
  fish: ({ word, description }) => (description === "" ? word : `${word}\t${brief(description)}`),
}

function escapeColons(word: string): string {
  return word.replaceAll("\\", "\\\\").replaceAll(":", "\\:")
}

function brief(description: string): string {
  const [first = ""] = description.split(/\n|; /)
  return first.length > 60 ? `${first.slice(0, 59).trimEnd()}…` : first
}

/**
 * Answers a Tab from the shapes of the commands, which the build has written beside this file: the program's on the first line, with the
 * names of its commands, then one line for each of these. Undefined where names of the repository are asked for, which is left to the
 * command.
 */
export function completeFromShapes([typed, , ...words]: readonly string[]): string | undefined {
  const shell = shells.find((each) => each === typed)
  if (shell === undefined || words.length === 0) return undefined
  const [program = "", ...lines] = readFileSync(join(__dirname, "commands.jsonl"), "utf8").split("\n")
  const brief = JSON.parse(program) as CommandShape
  const commands = brief.commands.map((command, at): CommandShape => {
    const isTyped = words.some((word) => word === command.name || command.aliases.includes(word))
    return isTyped ? JSON.parse(lines[at] ?? "") : command
  })
  const completion = completeLine({ ...brief, commands }, words)
  const isKnown = ["words", "files", "folders", "nothing"].includes(completion.kind)
  return isKnown ? renderCompletion(shell, completion, words.at(-1) ?? "") : undefined
}
