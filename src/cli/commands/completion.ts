import { Argument, type Command } from "commander"
import type { NameKind } from "../../drey/search.ts"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { command } from "../command.ts"
import { type Candidate, type Completion, completeLine } from "../completion/complete-line.ts"
import { completionScripts, type Shell, shells } from "../completion/completion-scripts.ts"
import { renderCandidates } from "../completion/render-candidates.ts"
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

async function candidatesOf(completion: Completion, typed: string, options: CommonOptions): Promise<Candidate[]> {
  const { kind } = completion
  if (kind === "nothing" || kind === "files" || kind === "folders") return []
  const candidates = kind === "words" ? completion.words : await namesOf(kind, options)
  return typed === "=" ? candidates : candidates.filter(({ word }) => word.startsWith(typed))
}

/** Empty if the team folder is missing or unreadable: completion must not print errors. */
async function namesOf(kind: NameKind, options: CommonOptions): Promise<Candidate[]> {
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
