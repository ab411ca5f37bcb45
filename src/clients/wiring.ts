import type { ClientId, Machine } from "./client.ts"

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
