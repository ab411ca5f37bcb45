import type { Machine } from "../clients/client.ts"
import { claudePlugin } from "../clients/wiring/claude-plugin.ts"
import { opencodePlugin } from "../clients/wiring/opencode-plugin.ts"
import type { DreyCommand, WiredClientId, WiringScope } from "../clients/wiring.ts"
import { DreyError } from "../errors.ts"
import { type Choice, chooseClients } from "./choose-clients.ts"
import { contextFileLead, usualBudget, wantContextFiles } from "./context-files.ts"
import { readRecords } from "./file-record.ts"
import { runnerBehind } from "./find-command.ts"
import { piecesOf } from "./piece.ts"
import { type FilePlan, planFile } from "./plan-file.ts"
import { readSkills, wantSkills } from "./skill-files.ts"
import { type Wanted, wantSettings } from "./wanted.ts"

export type ConnectOptions = {
  /** Ids of clients; without any, those that are found. */
  clients?: readonly string[]
  scope?: WiringScope
  /** Keeps a block of rules in AGENTS.md, of at most this many tokens (default 1,500). */
  contextFiles?: { budget?: number }
  /** Writes Claude Code's part as a plugin into this folder instead of its settings. */
  pluginFolder?: string
  opencodePlugin?: boolean
}

/** Paths and facts about this Drey, handed in by the caller. */
export type ConnectParts = {
  machine: Machine
  /** Drey's home folder. */
  home: string
  root: string
  teamFolder: string | undefined
  command: DreyCommand
  version: string
  /** The permanent rules as Markdown below this lead, both within a token budget. */
  rules: (lead: string, budget: number) => Promise<string>
}

export type ConnectPlan = {
  command: DreyCommand
  /** The runner, such as `npx`, whose temporary copy the command starts; such a plan is a preview only. */
  runner: string | undefined
  clients: { id: WiredClientId; name: string; scope: WiringScope; reason: string; stillToDo: string[] }[]
  files: FilePlan[]
}

/** Plans the changes; nothing is written. */
export async function planConnect(parts: ConnectParts, options: ConnectOptions): Promise<ConnectPlan> {
  const { machine, root, command } = parts
  const records = readRecords(parts.home)
  const everywhere = new Set(
    [...records.values()].flatMap(({ uses }) => uses.filter((use) => use.root === null)).map(({ client }) => client),
  )
  const choices = chooseClients(options.clients ?? [], { ...machine, root }, (client) => {
    // Paths of this machine do not belong in committed files; and a client connected twice would run its hooks twice.
    return options.scope ?? (command.isPortable && !everywhere.has(client) ? "project" : "user")
  })
  const skills = readSkills(parts.teamFolder)
  const inPlugin = choices.filter((choice) => isPlugin(choice, options))
  const inSettings = choices.filter((choice) => !inPlugin.includes(choice))
  const wanted: Wanted[] = [
    ...wantSettings(inSettings, command),
    ...wantPlugins(parts, choices, options, skills),
    ...wantSkills(inSettings, skills),
    ...(options.contextFiles === undefined
      ? []
      : wantContextFiles(choices, root, await renderRules(parts, options.contextFiles))),
  ]
  const paths = [...new Set(wanted.map(({ path }) => path))]
  return {
    command,
    runner: runnerBehind(command),
    clients: choices.map(({ wiring, place, reason }) => ({
      id: wiring.id,
      name: wiring.name,
      scope: place.scope,
      reason,
      stillToDo: inPlugin.some((choice) => choice.wiring === wiring)
        ? [`Start Claude Code with it: claude --plugin-dir ${options.pluginFolder}`]
        : wiring.stillToDo(place),
    })),
    files: paths.map((path) =>
      planFile(
        path,
        wanted.filter((each) => each.path === path),
        records,
      ),
    ),
  }
}

function renderRules({ rules }: ConnectParts, { budget = usualBudget }: { budget?: number }): Promise<string> {
  return rules(contextFileLead(budget), budget)
}

function isPlugin({ wiring }: Choice, { pluginFolder }: ConnectOptions): boolean {
  return pluginFolder !== undefined && wiring.id === "claude-code"
}

function wantPlugins(
  { command, version }: ConnectParts,
  choices: readonly Choice[],
  { pluginFolder, opencodePlugin: withPlugin }: ConnectOptions,
  skills: ReturnType<typeof readSkills>,
): Wanted[] {
  const claude = choices.find(({ wiring }) => wiring.id === "claude-code")
  const opencode = choices.find(({ wiring }) => wiring.id === "opencode")
  if (pluginFolder !== undefined && !claude)
    throw new DreyError("--plugin applies to Claude Code only", { hint: "Run: drey connect claude-code --plugin DIR" })
  if (withPlugin && !opencode)
    throw new DreyError("--opencode-plugin applies to OpenCode only", {
      hint: "Run: drey connect opencode --opencode-plugin",
    })
  const files = [
    ...(claude && pluginFolder !== undefined
      ? claudePlugin(pluginFolder, command, version, skills).map((file) => ({ choice: claude, file }))
      : []),
    ...(opencode && withPlugin ? [{ choice: opencode, file: opencodePlugin(opencode.place, command) }] : []),
  ]
  return files.map(({ choice: { wiring, root }, file }) => ({
    client: wiring.id,
    root,
    path: file.path,
    purpose: file.purpose,
    pieces: piecesOf(file),
  }))
}
