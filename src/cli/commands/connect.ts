import { realpathSync } from "node:fs"
import { isAbsolute, relative, resolve } from "node:path"
import { type Command, Option } from "commander"
import type { WiringScope } from "../../clients/client-wiring.ts"
import type { FileResult } from "../../clients/connect/connect-files.ts"
import type { ConnectOptions, ConnectPlan } from "../../clients/connect/connect-plan.ts"
import type { RunningProgram } from "../../clients/connect/connections.ts"
import type { DisconnectPlan, FileRestoration } from "../../clients/connect/disconnect-plan.ts"
import type { ConnectFilePlan } from "../../clients/connect/file-plan.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { LineChange } from "../../formats/line-diff.ts"
import { writingCommand } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, print, printNotice } from "../print.ts"
import { askYesNo } from "../prompt.ts"
import { tryTrustForUser } from "../trust-on-write.ts"

declare const DREY_VERSION: string

type Options = CommonOptions & {
  scope?: WiringScope
  dryRun?: boolean
  yes?: boolean
  contextFiles?: boolean
  budget?: string
  plugin?: string
  opencodePlugin?: boolean
}

export function connectCommand(): Command {
  return writingCommand(
    "connect",
    "Connect coding agents to Drey: add its MCP server, hooks and skills to the settings of each agent and change nothing else. Without names, connects the agents found on this machine and in this repository. Shows the plan and asks first; drey disconnect restores every file exactly.",
    "drey connect --dry-run\ndrey connect\ndrey connect claude-code codex --yes\ndrey connect --context-files --budget 1000\ndrey connect claude-code --plugin ./drey-plugin",
  )
    .argument(
      "[clients...]",
      "claude-code, codex, gemini-cli, copilot-cli, vscode-copilot, cursor, windsurf, opencode, cline, zed, pi",
    )
    .addOption(scopeOption("default: project, or user where drey is not on the PATH"))
    .option("--dry-run", "show the plan and write nothing")
    .option("-y, --yes", "do not ask")
    .option(
      "--context-files",
      "keep the rules that always apply in AGENTS.md, and point clients that do not read it there",
    )
    .option("--budget <tokens>", "maximum length of these rules; default: 1500")
    .option("--plugin <dir>", "for Claude Code: write a plugin folder instead of settings")
    .option(
      "--opencode-plugin",
      "for OpenCode: also install hooks, as a plugin; offline, each start then takes about a minute",
    )
    .action(connect)
}

function scopeOption(words: string): Option {
  return new Option("--scope <scope>", `write project files or user files; ${words}`).choices(["project", "user"])
}

async function connect(clients: string[], options: Options): Promise<void> {
  const drey = openDrey(options)
  const connections = drey.clients.as(thisProgram())
  await connections.requireLasting()
  const plan = await connections.planConnect(toRequest(clients, options))
  const place = { root: drey.root, home: process.env.HOME }
  const isWanted = plan.files.some((file) => file.change !== "left" && file.writing !== undefined)
  if (!options.json)
    print(
      options,
      () => ({}),
      () => connectPlanText(plan, place),
    )
  const mayWrite = isWanted && !options.dryRun && (options.yes === true || (await isAgreed(options)))
  const results = mayWrite ? await connections.connect(plan) : undefined
  if (results || (!isWanted && !options.dryRun)) await tryTrustForUser(options.root)
  await drey.close()
  if (options.json)
    print(
      options,
      () => connectDocument(plan, results),
      () => "",
    )
  else if (results)
    print(
      options,
      () => ({}),
      () => resultText(plan, results, place),
    )
  if (!drey.hasTeamFolder) printNotice('This repository has no team folder yet. Run "drey init" to create one.')
  endWith(plan, results, isWanted, options)
}

function toRequest(clients: string[], options: Options): ConnectOptions {
  const { scope, contextFiles, budget, plugin, opencodePlugin } = options
  return {
    clients,
    ...(scope === undefined ? {} : { scope }),
    ...(contextFiles || budget !== undefined
      ? { contextFiles: budget === undefined ? {} : { budget: parseCount(budget, "tokens", 100, 20_000) } }
      : {}),
    ...(plugin === undefined ? {} : { pluginFolder: resolve(plugin) }),
    ...(opencodePlugin ? { opencodePlugin } : {}),
  }
}

/** Asks only when the answer is not piped to another program. */
async function isAgreed({ json }: Options): Promise<boolean> {
  return !json && askYesNo("Write this?")
}

function endWith(plan: ConnectPlan, results: FileResult[] | undefined, isWanted: boolean, options: Options): void {
  const isLeft = plan.files.some(({ change }) => change === "left") || results?.some(({ problem }) => problem)
  if (isLeft || plan.clients.length === 0) process.exitCode = exitCode.no
  if (!isWanted || options.dryRun || results) return
  throw new DreyError("Nothing was written", {
    ...(process.stdin.isTTY ? {} : { hint: "Confirm with --yes, or preview with --dry-run." }),
    exitCode: exitCode.no,
  })
}

/** The running program by its paths, for clients that cannot find `drey` on the PATH. */
export function thisProgram(): RunningProgram {
  const version = typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0"
  return { node: process.execPath, script: realpathSync(process.argv[1] ?? ""), version }
}

type OptionsDisconnect = CommonOptions & { scope?: WiringScope; dryRun?: boolean }

export function disconnectCommand(): Command {
  return writingCommand(
    "disconnect",
    "Undo connect: restore every file exactly, and remove files that connect created. From a file that was edited since, only Drey's part is removed.",
    "drey disconnect --dry-run\ndrey disconnect\ndrey disconnect codex",
  )
    .argument("[clients...]", "which clients; default: all")
    .addOption(scopeOption("default: both"))
    .option("--dry-run", "show what would be done and write nothing")
    .option("-y, --yes", "do not ask")
    .action(disconnect)
}

async function disconnect(clients: string[], options: OptionsDisconnect): Promise<void> {
  const drey = openDrey(options)
  const connections = drey.clients.as(thisProgram())
  const plan = await connections.planDisconnect({
    clients,
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  })
  const results = options.dryRun ? [] : await connections.disconnect(plan)
  await drey.close()
  const place = { root: drey.root, home: process.env.HOME }
  print(
    options,
    () => disconnectDocument(plan, results, options.dryRun === true),
    () => disconnectText(plan, results, place, options.dryRun === true),
  )
  const isLeft = plan.files.some(({ change }) => change === "left") || results.some(({ problem }) => problem)
  if (isLeft) process.exitCode = exitCode.no
}

/** Paths are shown relative to the repository, or with `~` for the home folder. */
export type PathBase = { root: string; home: string | undefined }

function connectDocument(plan: ConnectPlan, results: FileResult[] | undefined) {
  const { command, args, isPortable } = plan.command
  return {
    command: [command, ...args],
    isPortable,
    written: results !== undefined,
    clients: plan.clients,
    files: plan.files.map((file) => ({
      path: file.path,
      clients: file.clients,
      purpose: file.purpose,
      change: file.change,
      ...(file.change === "left" ? { reason: file.reason } : { lines: file.lines, kept: file.kept }),
      ...problemOf(results, file.path),
    })),
  }
}

/** The plan as text: per file, the changed lines and the clients they are for. */
function connectPlanText(plan: ConnectPlan, place: PathBase): string {
  if (plan.clients.length === 0)
    return "No coding agent was found on this machine or in this repository.\nName the ones you use, for example: drey connect claude-code"
  const names = new Map(plan.clients.map(({ id, name }) => [id, name]))
  const lines = plan.clients.map(
    ({ name, scope, reason }) => `${colors.bold(name)}  ${colors.dim(`${reason}; ${scope} files`)}`,
  )
  const changed = plan.files.filter(({ change }) => change !== "none")
  for (const file of changed) {
    const why = colors.dim(`${file.purpose} for ${namesOf(file, names)}`)
    lines.push("", `${mark(file)} ${shown(file.path, place)}  ${why}`)
    if (file.change === "left") lines.push(`    ${file.reason}`)
    else lines.push(...showLines(file).map((line) => `    ${line}`))
  }
  for (const file of plan.files)
    if (file.change !== "left") lines.push(...file.kept.map((words) => `  ${shown(file.path, place)}: ${words}`))
  lines.push("", summary(plan))
  if (!plan.command.isPortable)
    lines.push(
      `"drey" is not on the PATH, so these files contain paths of this machine: ${[plan.command.command, ...plan.command.args].join(" ")}`,
      'To write files that others can use, install Drey ("npm install -g drey") and connect again.',
    )
  return lines.join("\n")
}

/** The plan in short: a line for each file that would be written. */
export function filesText(plan: ConnectPlan, place: PathBase): string {
  const names = new Map(plan.clients.map(({ id, name }) => [id, name]))
  return plan.files
    .filter(({ change }) => change !== "none")
    .map((file) => {
      const why = file.change === "left" ? `skipped: ${file.reason}` : `${file.purpose} for ${namesOf(file, names)}`
      return `  ${mark(file)} ${shown(file.path, place)}  ${colors.dim(why)}`
    })
    .join("\n")
}

function namesOf({ clients }: ConnectFilePlan, names: ReadonlyMap<string, string>): string {
  return clients.map((id) => names.get(id) ?? id).join(", ")
}

/** The result, and what the user still has to do. */
export function resultText(plan: ConnectPlan, results: FileResult[], place: PathBase): string {
  const failed = results.filter(({ problem }) => problem !== undefined)
  const lines = failed.map(({ path, problem }) => `${colors.red("not written")} ${shown(path, place)}: ${problem}`)
  const todo = plan.clients.flatMap(({ stillToDo }) => stillToDo)
  lines.push(`${count(results.length - failed.length, "file")} written. "drey disconnect" restores every file exactly.`)
  if (todo.length > 0) lines.push("", colors.bold("Still to do:"), ...todo.map((words) => `- ${words}`))
  return lines.join("\n")
}

function disconnectDocument(plan: DisconnectPlan, results: FileResult[], dryRun: boolean) {
  return {
    dryRun,
    files: plan.files.map(({ path, clients, change, note }) => ({
      path,
      clients,
      change,
      ...(note === undefined ? {} : { note }),
      ...problemOf(results, path),
    })),
  }
}

function disconnectText(plan: DisconnectPlan, results: FileResult[], place: PathBase, dryRun: boolean): string {
  const problems = new Map(results.flatMap(({ path, problem }) => (problem === undefined ? [] : [[path, problem]])))
  const shownFiles = plan.files.filter(({ change, note }) => change !== "none" || note !== undefined)
  if (shownFiles.length === 0) return "No coding agent is connected; nothing to do."
  const lines = shownFiles.map((file) => restorationLine(file, problems.get(file.path), place))
  if (dryRun) lines.push("", "Run without --dry-run to apply it.")
  return lines.join("\n")
}

function restorationLine(
  { path, change, note }: FileRestoration,
  problem: string | undefined,
  place: PathBase,
): string {
  const words = problem === undefined ? change : "left"
  const why = problem ?? note
  return `${words.padEnd(8)}  ${shown(path, place)}${why === undefined ? "" : `  ${colors.dim(why)}`}`
}

function problemOf(results: FileResult[] | undefined, path: string): { problem?: string } {
  const problem = results?.find((result) => result.path === path)?.problem
  return problem === undefined ? {} : { problem }
}

function summary(plan: ConnectPlan): string {
  const changed = plan.files.filter(({ change }) => change === "created" || change === "changed").length
  const left = plan.files.filter(({ change }) => change === "left").length
  const words = changed === 0 ? "Already connected." : `${count(changed, "file")} to write.`
  return left === 0 ? words : `${words} ${count(left, "file")} skipped.`
}

function mark({ change }: ConnectFilePlan): string {
  if (change === "left") return colors.red("!")
  return change === "created" ? colors.green("+") : colors.yellow("~")
}

const mostShown = 60

/** Skill files are shown by their length, other files with every added or changed line. */
function showLines(file: ConnectFilePlan & { lines: LineChange[] }): string[] {
  const lines = file.lines.flatMap(({ removed, added }) => [
    ...removed.map((line) => colors.red(`- ${line}`)),
    ...added.map((line) => colors.green(`+ ${line}`)),
  ])
  if (file.purpose === "skill") return [colors.dim(count(lines.length, "line"))]
  const rest = lines.length - mostShown
  return rest > 0 ? [...lines.slice(0, mostShown), colors.dim(`… ${count(rest, "more line", "more lines")}`)] : lines
}

function shown(path: string, { root, home }: PathBase): string {
  const inside = relative(root, path)
  if (!inside.startsWith("..") && !isAbsolute(inside)) return inside
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
