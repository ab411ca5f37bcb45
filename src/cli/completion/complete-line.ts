import type { Argument, Command, Option } from "commander"
import type { NameKind } from "../../drey/search.ts"
import { outputOptions } from "../help/format-help.ts"

/** Completions at the cursor: known words, or a kind of names that the caller looks up. */
export type Completion = { kind: "words"; words: Candidate[] } | { kind: "files" | "folders" | "nothing" | NameKind }

export type Candidate = { word: string; description: string }

/** Completes the last of these words, which follow `drey` on a command line. What does not begin with it is left in: shells filter. */
export function completeLine(program: Command, words: readonly string[]): Completion {
  const place = walk(program, words.slice(0, -1))
  const { command, option, operands, isPastOptions } = place
  const current = words.at(-1) ?? ""
  const [flag = "", value] = splitAtEquals(current)
  if (value !== undefined && !isPastOptions) return valuesOf(findOption(command, flag), `${flag}=`)
  if (current.startsWith("-") && !isPastOptions && !(option?.required && !option.variadic))
    return { kind: "words", words: optionsOf(command) }
  if (option) return valuesOf(option)
  const commands = operands === 0 && !isPastOptions ? commandsOf(command) : []
  const argument = command.registeredArguments[Math.min(operands, command.registeredArguments.length - 1)]
  const isTaken = argument === undefined || (operands >= command.registeredArguments.length && !argument.variadic)
  if (commands.length > 0 || isTaken) return { kind: "words", words: commands }
  return argument.name() === "id" ? { kind: idsOf(command) } : valuesOf(argument)
}

type Place = { command: Command; option: Option | undefined; operands: number; isPastOptions: boolean }

/** The parse state after these words: the command, and an option that still needs its value. */
function walk(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, option: undefined, operands: 0, isPastOptions: false }
  for (const word of words) {
    if (word === "=" && place.option) continue // bash cuts a line at it
    if (place.option && (!word.startsWith("-") || (place.option.required && !place.option.variadic))) {
      if (!place.option.variadic) place.option = undefined
      continue
    }
    place.option = undefined
    if (place.isPastOptions) place.operands++
    else if (word === "--") place.isPastOptions = true
    else if (word.startsWith("-")) place.option = valued(findOption(place.command, word))
    else {
      const next = place.operands === 0 ? findCommand(place.command, word) : undefined
      if (next) place.command = next
      else place.operands++
    }
  }
  return place
}

function findCommand(parent: Command, word: string): Command | undefined {
  return parent.commands.find((each) => each.name() === word || each.aliases().includes(word))
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag)
}

function valued(option: Option | undefined): Option | undefined {
  return option && (option.required || option.optional) ? option : undefined
}

function splitAtEquals(word: string): [string, string?] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)]
}

function commandsOf(command: Command): Candidate[] {
  return command.commands.map((each) => ({ word: each.name(), description: each.summary() }))
}

function optionsOf(command: Command): Candidate[] {
  const help = { word: "--help", description: "show this help" }
  const own = [...command.options, ...outputOptions].map(({ long, short, description }) => ({
    word: long ?? short ?? "",
    description,
  }))
  return [...own, help]
}

function valuesOf(wanted: Option | Argument | undefined, before = ""): Completion {
  if (wanted === undefined) return { kind: "nothing" }
  const name = nameOf(wanted)
  const listed = wanted.argChoices ?? (name.includes("=") ? [] : wordsListedIn(wanted.description)) // text=status has two parts
  if (listed.length > 0)
    return { kind: "words", words: listed.map((word) => ({ word: before + word, description: "" })) }
  return { kind: kinds.find(([pattern]) => pattern.test(name))?.[1] ?? "nothing" }
}

/** What the help calls it: `--agent <name>` is "agent name", `[files...]` is "files". */
function nameOf(wanted: Option | Argument): string {
  if ("flags" in wanted) return `${wanted.name()} ${/[<[]([^>\]]*)/.exec(wanted.flags)?.[1] ?? ""}`
  return wanted.name()
}

const kinds: [RegExp, Exclude<Completion["kind"], "words">][] = [
  [/\b(?:dir|folder)\b/, "folders"],
  [/\b(?:files?|paths?)\b/, "files"],
  [/^(?:agent|author) name/, "agents"],
  [/^session /, "sessions"],
  [/^what$/, "learned"],
]

/** Whose ids a command takes. */
function idsOf(command: Command): NameKind | "nothing" {
  const parent = command.parent?.name()
  if (parent === "session") return "sessions"
  if (parent === "memory") return "governed"
  if (parent === "attempt") return "nothing"
  return command.name() === "why" ? "items" : "learned"
}

/** The words of a help that lists all there are: "ALWAYS, ON-DEMAND or NEVER; default: ALWAYS". */
export function wordsListedIn(description: string): string[] {
  const list = /(?:^|: )((?:[\w-]+, )+[\w-]+(?: or [\w-]+)?)(?:;|$)/.exec(description)?.[1]
  return list?.split(/, | or /) ?? []
}
