import { existsSync } from "node:fs"
import { join } from "node:path"
import { readTemplates } from "../../disk/templates.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { didYouMean } from "../../formats/text.ts"
import { allWirings } from "../all-clients.ts"
import { claudePlugin } from "../claude-code/wiring.ts"
import type { Machine } from "../client.ts"
import type { DreyCommand, WiredClientId, Wiring, WiringPlace, WiringScope } from "../client-wiring.ts"
import { opencodePlugin } from "../opencode/wiring.ts"
import { contextFileLead, usualBudget, wantContextFiles } from "./context-files.ts"
import { runnerBehind } from "./drey-command.ts"
import { type ConnectFilePlan, planFile } from "./file-plan.ts"
import { readRecords } from "./file-record.ts"
import { type ChosenClient, piecesOf, type WantedFile, wantSettings } from "./pieces.ts"

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
  files: ConnectFilePlan[]
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
  const wanted: WantedFile[] = [
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

function isPlugin({ wiring }: ClientChoice, { pluginFolder }: ConnectOptions): boolean {
  return pluginFolder !== undefined && wiring.id === "claude-code"
}

function wantPlugins(
  { command, version }: ConnectParts,
  choices: readonly ClientChoice[],
  { pluginFolder, opencodePlugin: withPlugin }: ConnectOptions,
  skills: ReturnType<typeof readSkills>,
): WantedFile[] {
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

type ClientChoice = ChosenClient & { reason: string }

/**
 * The named clients, found here or not; without names, those found on this machine and in this repository. `scopeOf`
 * decides for each which scope's files are used.
 */
function chooseClients(
  names: readonly string[],
  place: Omit<WiringPlace, "scope">,
  scopeOf: (client: WiredClientId) => WiringScope,
): ClientChoice[] {
  const wirings = names.length > 0 ? names.map(wiringNamed) : allWirings
  return [...new Set(wirings)].flatMap((wiring) => {
    const asked = scopeOf(wiring.id)
    const own = { ...place, scope: wiring.scopes.includes(asked) ? asked : (wiring.scopes[0] ?? asked) }
    const reason = wiring.find(own) ?? (names.length > 0 ? "you named it" : undefined)
    return reason === undefined ? [] : [{ wiring, place: own, root: asked === "user" ? null : place.root, reason }]
  })
}

/** By its id or a unique prefix of it: `claude`, `vscode`. */
export function wiringNamed(name: string): Wiring {
  const exact = allWirings.find(({ id }) => id === name)
  const close = allWirings.filter(({ id }) => id.startsWith(name) && name !== "")
  const [only] = close
  if (exact) return exact
  if (only && close.length === 1) return only
  const ids = allWirings.map(({ id }) => id)
  const meant = didYouMean(name, ids)
  throw new DreyError(`Drey cannot connect to "${name}"`, {
    hint: meant === undefined ? `Supported clients: ${ids.join(", ")}.` : `Did you mean ${meant}?`,
  })
}

export type ConnectSkill = { name: string; text: string }

/** The skills that come with Drey, in the team's version: a changed skill is copied as changed. */
export function readSkills(teamFolder: string | undefined): ConnectSkill[] {
  return readTemplates().flatMap(({ path, text }) => {
    const name = /^skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1]
    if (name === undefined) return []
    const own = teamFolder === undefined ? undefined : join(teamFolder, path)
    return [{ name, text: own !== undefined && existsSync(own) ? readTextFile(own).text : text }]
  })
}

/**
 * Copies to where clients look for skills. A client that reads several folders shares one that another needs anyway.
 */
export function wantSkills(chosen: readonly ChosenClient[], skills: readonly ConnectSkill[]): WantedFile[] {
  const used = new Set<string>()
  return chosen
    .map(({ wiring, place, root }) => {
      // A client without project settings keeps them in the user's, but they still belong to this repository.
      const folders = wiring.skillFolders({ ...place, scope: root === null ? "user" : "project" })
      return { client: wiring.id, root, folders }
    })
    .sort((one, other) => one.folders.length - other.folders.length)
    .flatMap(({ client, root, folders }) => {
      const folder = folders.find((each) => used.has(each)) ?? folders[0]
      if (folder === undefined) return []
      used.add(folder)
      return skills.map(({ name, text }) => skillFile({ client, root }, join(folder, name, "SKILL.md"), text))
    })
}

function skillFile(use: Pick<WantedFile, "client" | "root">, path: string, text: string): WantedFile {
  return { ...use, path, purpose: "skill", pieces: [{ format: "own", text }] }
}
