import type { ClientId, Machine } from "./client.ts"

/** Every coding agent that Drey can be wired to; Zed leaves no transcripts that Drey reads. */
export type WiredClientId = ClientId | "zed"

/** How one client is told of Drey: the files that it reads, and what goes into them. One file each, one contract for all. */
export type Wiring = {
  id: WiredClientId
  /** As a person writes it: `Claude Code`. */
  name: string
  /** What shows that it is on this machine or used in this repository; undefined when nothing does. */
  find(place: WiringPlace): string | undefined
  /** Which scopes it has files for, the usual one first. */
  scopes: readonly WiringScope[]
  files(place: WiringPlace, command: DreyCommand): WiredFile[]
  /** What only the user can do, in words: approve, trust, restart. */
  stillToDo(place: WiringPlace): string[]
  /** The context files that it loads from a repository, in the order in which it prefers them. */
  contextFiles(place: WiringPlace): readonly ContextFileName[]
  /** It loads all of them, not only the first that is there. */
  loadsAllContextFiles: boolean
  /** The folders in which it looks for skills, the one that is its own first; none where it knows no skills. */
  skillFolders(place: WiringPlace): string[]
}

export type ContextFileName = "AGENTS.md" | "CLAUDE.md" | "CLAUDE.local.md" | "GEMINI.md"
export type WiringScope = "project" | "user"
export type WiringPlace = Machine & { root: string; scope: WiringScope }

/** How a client starts Drey: `drey`, or Node and the path of the program. */
export type DreyCommand = { command: string; args: readonly string[]; isPortable: boolean }

/** A file of a client and what Drey needs to stand in it. */
export type WiredFile = {
  path: string
  /** What for, in a few words: `MCP server`, `hooks`. */
  purpose: string
} & (
  | { format: "json"; parts: readonly JsonPart[] }
  | { format: "toml"; tables: readonly TomlTable[] }
  /** All of the file is Drey's. */
  | { format: "own"; text: string }
)

export type JsonPart =
  /** A key that is Drey's alone. */
  | { kind: "key"; path: readonly string[]; value: unknown }
  /** An item in a list that others use too; `mark` is a text that only Drey's items hold. */
  | { kind: "item"; path: readonly string[]; value: unknown; mark: string }
  /** A value that must be there, and stays what it is when somebody set it. */
  | { kind: "default"; path: readonly string[]; value: unknown }

export type TomlTable = { name: string; values: Readonly<Record<string, unknown>> }
