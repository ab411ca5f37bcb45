import { type Command, programOf, unwrapCommands } from "../../formats/shell-command.ts"
import type { EpisodeEvent } from "../../memories/episode.ts"
import { answersByExitCode, readsOnly } from "./command-head.ts"
import { type CommandLine, plainCommand, quoted, textOf } from "./command-line.ts"
import { isFailure } from "./episode-stats.ts"

export type Effect = { kind: "command"; command: CommandLine } | { kind: "edit"; file: string } | { kind: "unclear" }

/** What an event may have changed. Failed, refused and reading calls change nothing; checks do not either. */
export function effectsOf(event: EpisodeEvent): Effect[] {
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

export function effectOf(command: Command): Effect[] {
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
