import { type ChangedPath, changedPath, isInPath } from "./is-in-path.ts"
import { matchesCommand } from "./matches-command.ts"
import { holdsName, importsPackage } from "./names-in-text.ts"
import { type Program, programsIn } from "./programs-in.ts"
import type { ToolCall } from "./tool-call.ts"

/** The compiled file; `stamp` identifies its inputs, `folders` those that some item is limited to. */
export type GuardsFile = { format: 1; stamp: string; guards: CompiledGuard[]; folders: string[] }

/** One sentence that forbids certain tool calls, with the patterns that detect them. */
export type CompiledGuard = {
  /** The id of its memory or entry; for a failed attempt, built from the session's and its own id. */
  id: string
  source: "learned" | "team" | "session"
  /** The user wants the client to ask before such a call. */
  ask: boolean
  text: string
  triggers: GuardTrigger
}

/** Any of these is enough. */
export type GuardTrigger = {
  commands: CommandPattern[]
  /** Files, folders and globs that are not to be changed, from the root of the repository. */
  paths: string[]
  /** Names that new text is not to bring in. */
  names: string[]
  /** Packages that are neither to be installed nor imported. */
  packages: string[]
  /** Limits the trigger to files below this path, and to commands that name it. */
  within?: string
}

/** A program and the words after it; a command that contains one of `unless` is accepted. */
export type CommandPattern = { words: string[]; unless?: string[] }

const longestText = 20_000

/** The guards that forbid a call. Never throws; linear in the size of the call and the number of guards. */
export function matchGuards(guards: readonly CompiledGuard[], call: ToolCall): CompiledGuard[] {
  const concerned = guards.filter(({ triggers }) => mayConcern(triggers, call))
  if (concerned.length === 0) return [] // the common case, before the command is parsed
  const looked = lookAt(call)
  return concerned.filter(({ triggers }) => speaksAgainst(triggers, looked))
}

function mayConcern({ commands, paths, names, packages }: GuardTrigger, { command = "", ...call }: ToolCall): boolean {
  if (call.text !== undefined && names.length + packages.length > 0) return true
  if (call.paths.length > 0 && paths.length > 0) return true
  const isNamed = (word: string) => word === "*" || command.includes(word)
  return command !== "" && (commands.some(({ words }) => isNamed(words[0] ?? "")) || packages.some(isNamed))
}

/** The facts about a call, computed once for all guards. */
type LookedAt = {
  command: string
  programs: readonly Program[]
  /** The names of these programs. */
  run: ReadonlySet<string>
  /** The packages that they bring in. */
  brought: readonly string[]
  paths: readonly ChangedPath[]
  text: string
  words: ReadonlySet<string>
}

function lookAt({ command = "", paths, text: written = "" }: ToolCall): LookedAt {
  const programs = programsIn(command)
  const text = written.slice(0, longestText)
  return {
    command,
    programs,
    run: new Set(["*", ...programs.map(({ name }) => name)]),
    brought: programs.flatMap(installedBy),
    paths: paths.map(changedPath),
    text,
    words: new Set(text.match(/[\w$]+/g)),
  }
}

function speaksAgainst({ commands, paths, names, packages, within }: GuardTrigger, looked: LookedAt): boolean {
  const { command, programs, run, brought, text, words } = looked
  const changes = (path: string) => looked.paths.some((changed) => isInPath(changed, path))
  if (within !== undefined && !changes(within) && !command.includes(within)) return false
  return (
    commands.some(
      (pattern) => run.has(pattern.words[0] ?? "") && programs.some((program) => matchesCommand(pattern, program)),
    ) ||
    paths.some(changes) ||
    packages.some((name) => brought.some((given) => isPackage(given, name))) ||
    (text !== "" &&
      (names.some((name) => holdsName(text, words, name)) ||
        packages.some((name) => importsPackage(text, words, name))))
  )
}

const installers = new Set("npm pnpm yarn bun pip pip3 uv poetry pdm cargo gem composer dotnet go deno".split(" "))
const installing = new Set(["install", "i", "add", "get", "require"])

/** `npm install` alone, and what a file lists, brings in nothing new. */
function installedBy({ name, words }: Program): string[] {
  const at = installers.has(name) ? words.findIndex((word) => installing.has(word)) : -1
  if (at === -1 || words.includes("-r")) return []
  return words.slice(at + 1).filter((word) => !word.startsWith("-") && !word.startsWith("."))
}

function isPackage(given: string, wanted: string): boolean {
  if (wanted === "*" || given === wanted) return true
  return given.startsWith(wanted) && /^[@=~<>![]/.test(given.slice(wanted.length))
}
