import { accessSync, constants, existsSync, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import type { ClientId } from "../formats/client-events.ts"
import type { Machine } from "./client.ts"

/** Every coding agent that Drey can be wired to; Zed has no transcripts that Drey reads. */
export type WiredClientId = ClientId | "zed"

/** How Drey is added to one client: which files it reads, and their contents. One file each, one contract for all. */
export type Wiring = {
  id: WiredClientId
  /** The display name: `Claude Code`. */
  name: string
  /** Evidence that the client is on this machine or used in this repository; undefined if there is none. */
  find(place: WiringPlace): string | undefined
  /** The scopes that it has files for, the default first. */
  scopes: readonly WiringScope[]
  files(place: WiringPlace, command: DreyCommand): WiredFile[]
  /** Steps that only the user can take: approve, trust, restart. */
  stillToDo(place: WiringPlace): string[]
  /** The context files that it loads from a repository, in order of preference. */
  contextFiles(place: WiringPlace): readonly ContextFileName[]
  /** Whether it loads all of them, not only the first that exists. */
  loadsAllContextFiles: boolean
  /** The folders in which it looks for skills, its own first; none if it has no skills. */
  skillFolders(place: WiringPlace): string[]
}

export type ContextFileName = "AGENTS.md" | "CLAUDE.md" | "CLAUDE.local.md" | "GEMINI.md"
export type WiringScope = "project" | "user"
export type WiringPlace = Machine & { root: string; scope: WiringScope }

/** How a client starts Drey: `drey`, or Node and the path of the program. */
export type DreyCommand = { command: string; args: readonly string[]; isPortable: boolean }

/** A file of a client, and what Drey needs in it. */
export type WiredFile = {
  path: string
  /** A short description: `MCP server`, `hooks`. */
  purpose: string
} & (
  | { format: "json"; parts: readonly JsonPart[] }
  | { format: "toml"; tables: readonly TomlTable[] }
  /** The whole file is Drey's. */
  | { format: "own"; text: string }
)

export type JsonPart =
  /** A key that only Drey uses. */
  | { kind: "key"; path: readonly string[]; value: unknown }
  /** An item in a list that others use too; `mark` is a text that only Drey's items contain. */
  | { kind: "item"; path: readonly string[]; value: unknown; mark: string }
  /** A required value, kept as it is if already set. */
  | { kind: "default"; path: readonly string[]; value: unknown }

export type TomlTable = { name: string; values: Readonly<Record<string, unknown>> }

/** Evidence of a client: programs on the PATH, paths below the home folder or absolute, names in the repository. */
export type Traces = { programs?: readonly string[]; home?: readonly string[]; repository?: readonly string[] }

/** Describes the first evidence that is found. */
export function findTrace(
  place: WiringPlace,
  { programs = [], home = [], repository = [] }: Traces,
): string | undefined {
  const program = programs.find((name) => findProgram(place, name) !== undefined)
  if (program !== undefined) return `"${program}" is on the PATH`
  const inRepository = repository.find((name) => existsSync(join(place.root, name)))
  if (inRepository !== undefined) return `the repository has ${inRepository}`
  const inHome = home.map((name) => (isAbsolute(name) ? name : join(place.home, name))).find((path) => existsSync(path))
  return inHome === undefined ? undefined : `${inHome} is there`
}

/** The path of a program on the PATH. */
export function findProgram({ environment, platform }: Machine, name: string): string | undefined {
  const endings = platform === "win32" ? (environment.PATHEXT ?? ".EXE;.CMD;.BAT").split(";") : [""]
  for (const folder of (environment.PATH ?? "").split(platform === "win32" ? ";" : delimiter)) {
    if (folder === "") continue
    for (const ending of endings) {
      const path = join(folder, `${name}${ending.toLowerCase()}`)
      if (isProgram(path)) return path
    }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // missing or not accessible
  }
}

/** The name of Drey's MCP server in every client: no underscore, which some clients treat as a separator. */
const serverName = "drey"

/** The program and its arguments, in the form that most clients use. */
export function mcpProgram({ command, args }: DreyCommand): { command: string; args: string[] } {
  return { command, args: [...args, "mcp"] }
}

/** The entry under the key where a client lists its servers. */
export function mcpPart(under: readonly string[], value: unknown): JsonPart {
  return { kind: "key", path: [...under, serverName], value }
}

/** A client's hook that Drey answers; `timeout` in the client's unit, `tools` if only some tools trigger it. */
export type Hook = { event: string; timeout: number; tools?: readonly string[] }

/** Hooks in Claude Code's format, which others adopted: for each event a list of groups, each with a matcher. */
export function hookGroups(client: ClientId, command: DreyCommand, hooks: readonly Hook[]): JsonPart[] {
  return hooks.map(({ event, timeout, tools }) => ({
    kind: "item",
    path: ["hooks", event],
    mark: hookMark(client, event),
    value: {
      ...(tools === undefined ? {} : { matcher: tools.join("|") }),
      hooks: [{ type: "command", command: hookLine(command, client, event), timeout }],
    },
  }))
}

/**
 * The command line of a hook. It always exits with 0: in a clone on a machine without Drey the client must not be
 * blocked. The line works in a POSIX shell and in PowerShell, as long as Drey is called by a plain name.
 */
export function hookLine(command: DreyCommand, client: ClientId, event: string): string {
  return `${[command.command, ...command.args].map(quoted).join(" ")} ${hookMark(client, event)}; exit 0`
}

/** The same for a field that only PowerShell reads. */
export function powershellLine(command: DreyCommand, client: ClientId, event: string): string {
  const line = hookLine(command, client, event)
  return line.startsWith("'") ? `& ${line.replaceAll("'\\''", "''")}` : line
}

/** The text that identifies Drey's entries, however Drey is called in them. */
export function hookMark(client: ClientId, event: string): string {
  return `hook ${client} ${event}`
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** The vendor-neutral folder for skills. */
export function agentSkills(place: WiringPlace): string[] {
  return [join(place.scope === "project" ? place.root : place.home, ".agents", "skills")]
}

/** The same, and Claude Code's folder for clients that read it too. */
export function agentAndClaudeSkills(place: WiringPlace): string[] {
  return [...agentSkills(place), join(place.scope === "project" ? place.root : place.home, ".claude", "skills")]
}
