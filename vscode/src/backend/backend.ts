import type * as vscode from "vscode"
import type { NewStatement } from "../model/proposals.ts"
import type { EntryRow, SearchHit } from "../model/team-model.ts"
import type { Team } from "../teams.ts"

/** How a change ended. `undo` names it for `undo`; a reason never contains the text that was refused. */
export type Outcome =
  | { kind: "done"; summary: string; id?: string | undefined; undo?: string | undefined }
  | { kind: "refused"; reason: string }

/** How often something was handed to an agent, how often because it mattered for the task, and to whom last. */
export type Uses = { handed: number; used: number; last: { at: string; agent: string | null } | undefined }

export type LearnedRow = {
  id: string
  title: string
  status: "on trial" | "proven" | "ended"
  kind: string
  at: number | null
  flags: string[]
}

/** One line of the log: a session of a client or of the team, with its tasks and what it was handed. */
export type LogRow = {
  label: string
  description: string
  detail: string
  icon: string
  at: number | null
  items: LogItem[]
  open?: vscode.Uri
}
export type LogItem = {
  label: string
  description: string
  icon: string
  id?: string
  open?: vscode.Uri
  items?: LogItem[]
}

/** What the status bar shows beside the inbox. */
export type Health = {
  version: string
  /** What `drey check` would report. */
  problems: string[]
  /** Whether Drey itself trusts the repository; otherwise agents are not handed its rules. */
  trusted: boolean
  clients: { id: string; name: string; connected: boolean }[]
  latest: { at: string; agent: string | null; count: number; tokens: number } | undefined
}

/** What differs between the browser, where texts are all there is, and a machine on which `drey` runs. */
export type Backend = {
  readonly kind: "files" | "drey"
  accept(team: Team, row: EntryRow): Promise<Outcome>
  refuse(team: Team, row: EntryRow, reason: string): Promise<Outcome>
  remember(team: Team, statement: NewStatement): Promise<Outcome>
  supersede(team: Team, older: EntryRow, newer: EntryRow): Promise<Outcome>
  /** Without a key the last change; with one only this change, if it is still the last. */
  undo(team: Team, key?: string): Promise<Outcome>
  search(team: Team, query: string, all: boolean): Promise<{ rows: SearchHit[]; problems: string[] }>
  /** What an agent would be handed for a task, as Markdown. */
  context(team: Team, task: string, paths: string[]): Promise<string>
  uses(team: Team, id: string): Promise<Uses | undefined>
  /** Why something is remembered, as Markdown. */
  why(team: Team, id: string): Promise<string | undefined>
  learned(team: Team): Promise<LearnedRow[]>
  log(team: Team): Promise<LogRow[]>
  forget(team: Team, id: string): Promise<Outcome>
  health(team: Team): Promise<Health | undefined>
}
