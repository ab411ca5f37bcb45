import { Argument, type Command, type Option } from "commander"
import type { NameKind } from "../../drey/search.ts"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { command } from "../command.ts"
import { outputOptions } from "../help/help-layout.ts"
import { type CommonOptions, print } from "../print.ts"

export function completionCommand(): Command {
  return command(
    "completion",
    "Generate shell completions for drey's commands, options and values. The script asks Drey at every Tab, so it does not need to be reinstalled after an update.",
    [
      "source <(drey completion bash)                  # this shell only; add it to ~/.bashrc for all",
      "drey completion bash > ~/.local/share/bash-completion/completions/drey",
      "drey completion zsh > ~/.zfunc/_drey            # any folder in your fpath; then restart zsh",
      "drey completion fish > ~/.config/fish/completions/drey.fish",
    ].join("\n"),
  )
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .argument("[words...]", "after --: the words typed so far; prints completions for the last one")
    .action(complete)
}

async function complete(shell: Shell, words: string[], options: CommonOptions): Promise<void> {
  const isAsked = process.argv.includes("--")
  if (!isAsked && words.length > 0)
    throw new DreyError("Put the words after --", { hint: 'drey completion bash -- memory ""' })
  if (!isAsked) {
    const script = completionScripts[shell]
    return print(
      options,
      () => ({ shell, script }),
      () => script,
    )
  }
  const { makeProgram } = await import("../program.ts")
  const [first = ""] = words
  const completion = completeLine(await makeProgram(words.length > 1 ? first : undefined), words)
  const candidates = await candidatesOf(completion, words.at(-1) ?? "", options)
  const isLeftToShell = completion.kind === "files" || completion.kind === "folders"
  print(
    options,
    () => ({ kind: completion.kind, candidates }),
    () => (isLeftToShell ? `:${completion.kind}` : renderCandidates(shell, candidates)),
  )
}

async function candidatesOf(
  completion: LineCompletion,
  typed: string,
  options: CommonOptions,
): Promise<CompletionCandidate[]> {
  const { kind } = completion
  if (kind === "nothing" || kind === "files" || kind === "folders") return []
  const candidates = kind === "words" ? completion.words : await namesOf(kind, options)
  return typed === "=" ? candidates : candidates.filter(({ word }) => word.startsWith(typed))
}

/** Empty if the team folder is missing or unreadable: completion must not print errors. */
async function namesOf(kind: NameKind, options: CommonOptions): Promise<CompletionCandidate[]> {
  const drey = openDrey({ ...options, warn: () => {} })
  try {
    return (await drey.search.names(kind)).map(({ name, title }) => ({ word: name, description: title }))
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return []
  } finally {
    await drey.close()
  }
}

/** Completions at the cursor: known words, or a kind of names that the caller looks up. */
type LineCompletion =
  | { kind: "words"; words: CompletionCandidate[] }
  | { kind: "files" | "folders" | "nothing" | NameKind }

type CompletionCandidate = { word: string; description: string }

/** Completes the last of these words, which follow `drey` on a command line. Candidates are not filtered by prefix: shells do that. */
export function completeLine(program: Command, words: readonly string[]): LineCompletion {
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

function commandsOf(command: Command): CompletionCandidate[] {
  return command.commands.map((each) => ({ word: each.name(), description: each.summary() }))
}

function optionsOf(command: Command): CompletionCandidate[] {
  const help = { word: "--help", description: "show this help" }
  const own = [...command.options, ...outputOptions].map(({ long, short, description }) => ({
    word: long ?? short ?? "",
    description,
  }))
  return [...own, help]
}

function valuesOf(wanted: Option | Argument | undefined, before = ""): LineCompletion {
  if (wanted === undefined) return { kind: "nothing" }
  const name = nameOf(wanted)
  const listed = wanted.argChoices ?? (name.includes("=") ? [] : wordsListedIn(wanted.description)) // text=status has two parts
  if (listed.length > 0)
    return { kind: "words", words: listed.map((word) => ({ word: before + word, description: "" })) }
  return { kind: kinds.find(([pattern]) => pattern.test(name))?.[1] ?? "nothing" }
}

/** Its name in the help: `--agent <name>` is "agent name", `[files...]` is "files". */
function nameOf(wanted: Option | Argument): string {
  if ("flags" in wanted) return `${wanted.name()} ${/[<[]([^>\]]*)/.exec(wanted.flags)?.[1] ?? ""}`
  return wanted.name()
}

const kinds: [RegExp, Exclude<LineCompletion["kind"], "words">][] = [
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

const shells = ["bash", "zsh", "fish"] as const
type Shell = (typeof shells)[number]

/**
 * The scripts for shells. Each calls Drey at every Tab, `drey completion SHELL -- WORDS`, so it knows the commands of the installed
 * version. The answer has one line per candidate; a line of ":files" or ":folders" leaves it to the shell.
 */
const completionScripts: Record<Shell, string> = {
  bash: `# drey completion for bash
_drey() {
  local current="\${COMP_WORDS[COMP_CWORD]}" answer line
  COMPREPLY=()
  answer="$(command drey completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return
  case "$answer" in
    :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    :folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
  esac
  [ "$current" = "=" ] && current=""
  while IFS= read -r line; do
    [[ -n "$line" && "$line" == "$current"* ]] && COMPREPLY+=("$line")
  done <<< "$answer"
}
complete -F _drey drey
`,
  zsh: `#compdef drey
_drey() {
  local answer
  answer="$(command drey completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)" || return
  case "$answer" in
    :files) _files; return ;;
    :folders) _files -/; return ;;
    '') return 1 ;;
  esac
  local -a candidates
  candidates=("\${(@f)answer}")
  _describe -V drey candidates
}
if [ "$funcstack[1]" = "_drey" ]; then
  _drey "$@"
else
  compdef _drey drey
fi
`,
  fish: `# drey completion for fish
function __drey_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (command drey completion fish -- $words[2..-1] 2>/dev/null)
    switch "$answer"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\\n' $answer
    end
end
complete -c drey -f -a '(__drey_complete)'
`,
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
