import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { type Command, Option } from "commander"
import type { WiringScope } from "../../clients/wiring.ts"
import type { FileResult } from "../../connect/apply-connect.ts"
import type { RunningProgram } from "../../connect/open-connections.ts"
import type { ConnectOptions, ConnectPlan } from "../../connect/plan-connect.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { askYesNo } from "../ask.ts"
import { command } from "../command.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, print, tell } from "../print.ts"
import { connectDocument, planText, resultText } from "../show-connect.ts"
import { trustBeside } from "../trusting.ts"

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
  return command(
    "connect",
    "Connect coding agents to Drey: add its MCP server, hooks and skills to the settings of each agent and change nothing else. Without names, connects the agents found on this machine and in this repository. Shows the plan and asks first; drey disconnect restores every file exactly.",
    "drey connect --dry-run\ndrey connect\ndrey connect claude-code codex --yes\ndrey connect --context-files --budget 1000\ndrey connect claude-code --plugin ./drey-plugin",
  )
    .argument(
      "[clients...]",
      "claude-code, codex, gemini-cli, copilot-cli, vscode-copilot, cursor, windsurf, opencode, cline, zed",
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

export function scopeOption(words: string): Option {
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
      () => planText(plan, place),
    )
  const mayWrite = isWanted && !options.dryRun && (options.yes === true || (await isAgreed(options)))
  const results = mayWrite ? await connections.connect(plan) : undefined
  if (results || (!isWanted && !options.dryRun)) await trustBeside(options.root)
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
  if (!drey.hasTeamFolder) tell('This repository has no team folder yet. Run "drey init" to create one.')
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
