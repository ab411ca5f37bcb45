import { Argument, type Command, type Option } from "commander"
import type { NameKind } from "../../drey/search.ts"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { command } from "../command.ts"
import {
  type CommandShape,
  type CompletionCandidate,
  candidatesFor,
  completeLine,
  type LineCompletion,
  type OptionShape,
  renderCompletion,
  type Shell,
  shells,
  type ValueShape,
} from "../complete-line.ts"
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
  const completion = completeLine(shapeOf(await makeProgram(words.length > 1 ? first : undefined)), words)
  const typed = words.at(-1) ?? ""
  const found = await withNames(completion, options)
  const candidates = found.kind === "words" ? candidatesFor(found.words, typed) : []
  print(
    options,
    () => ({ kind: completion.kind, candidates }),
    () => renderCompletion(shell, found, typed),
  )
}

async function withNames(completion: LineCompletion, options: CommonOptions): Promise<LineCompletion> {
  const { kind } = completion
  if (kind === "nothing" || kind === "files" || kind === "folders" || kind === "words") return completion
  return { kind: "words", words: await namesOf(kind, options) }
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

/** What completion needs to know of a command and those below it. */
export function shapeOf(command: Command): CommandShape {
  const help: OptionShape = { ...noValue, long: "--help", short: "-h", description: "show this help" }
  const options = command.options.filter(({ hidden }) => !hidden)
  return {
    name: command.name(),
    aliases: command.aliases(),
    summary: command.summary(),
    options: [...[...options, ...outputOptions].map(optionShape), help],
    arguments: command.registeredArguments.map((argument) => valueShape(argument.name(), argument)),
    commands: command.commands.map(shapeOf),
  }
}

const noValue = { name: "", variadic: false, takes: "nothing" } as const

/** `--agent <name>` is "agent name", `[files...]` is "files". */
function optionShape(option: Option): OptionShape {
  const { long = "", short = "", required, optional, flags } = option
  const name = `${option.name()} ${/[<[]([^>\]]*)/.exec(flags)?.[1] ?? ""}`
  const takes = required ? "a value" : optional ? "maybe a value" : "nothing"
  return { ...valueShape(name, option), long: long ?? "", short: short ?? "", takes }
}

function valueShape(name: string, { description, variadic, argChoices }: Option | Argument): ValueShape {
  return { name, description, variadic, ...(argChoices === undefined ? {} : { choices: [...argChoices] }) }
}

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
