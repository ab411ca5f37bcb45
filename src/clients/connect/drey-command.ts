import { existsSync, realpathSync, statSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { parseJson } from "../../disk/json.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { temporaryRunner } from "../../formats/shell-command.ts"
import type { Machine } from "../client.ts"
import { type DreyCommand, findProgram } from "../client-wiring.ts"
import { objectOf } from "../json-value.ts"
import { readBeginning, readJsonFile } from "../transcripts/client-files.ts"

/**
 * How clients start Drey: `DREY_COMMAND` if set (a command line, or a JSON list of its words), else `drey` if the PATH
 * leads to it, else the way this process was started, with paths that are valid only on this machine.
 */
export function findDreyCommand(machine: Machine, program: { node: string; script: string }): DreyCommand {
  const given = wordsOf(machine.environment.DREY_COMMAND ?? "")
  const [command, ...args] = given
  if (command !== undefined) return { command, args, isPortable: given.every((word) => !/[\\/]/.test(word)) }
  if (isOnPath(machine)) return { command: "drey", args: [], isPortable: true }
  return { command: program.node, args: [program.script], isPortable: false }
}

/** The runner, such as `npx`, whose temporary copy of Drey a command starts: clients could not start it later. */
export function runnerBehind({ command, args }: DreyCommand): string | undefined {
  return [command, ...args].map(temporaryRunner).find((runner) => runner !== undefined)
}

/** Throws if clients would be given a command that is gone when this process ends: their hooks would fail silently. */
export function requireInstalledCommand(command: DreyCommand): void {
  const runner = runnerBehind(command)
  if (runner === undefined) return
  throw new DreyError(
    `Nothing is connected: ${runner} installed this copy of Drey for one command only, so agents could not start it`,
    {
      hint: 'Install it ("npm install -g drey"), then run "drey connect".',
      exitCode: exitCode.no,
    },
  )
}

/** Whether `drey` alone starts a Drey here, also outside of a package manager. */
export function isOnPath(machine: Machine): boolean {
  const path = findProgram(withoutPackagePaths(machine), "drey")
  return path !== undefined && leadsToDrey(path)
}

/** Package managers put a project's programs, and those fetched for one command, at the start of the PATH. */
function withoutPackagePaths(machine: Machine): Machine {
  const { environment, platform } = machine
  if (environment.npm_command === undefined && environment.npm_execpath === undefined) return machine
  const separator = platform === "win32" ? ";" : delimiter
  const folders = (environment.PATH ?? "").split(separator)
  const own = folders.filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
  return { ...machine, environment: { ...environment, PATH: own.join(separator) } }
}

/** The program is in Drey's package; a wrapper script written by a package manager names it. */
function leadsToDrey(path: string): boolean {
  const real = realpathSync(path)
  for (let folder = dirname(real); dirname(folder) !== folder; folder = dirname(folder)) {
    const manifest = join(folder, "package.json")
    if (!existsSync(manifest)) continue
    if (objectOf(readJsonFile(manifest))?.name === "drey") return true
    break
  }
  return statSync(real).size < 65_536 && /\bdrey\b/.test(readBeginning(real) ?? "")
}

function wordsOf(line: string): string[] {
  const text = line.trim()
  if (text.startsWith("[")) {
    const list = parseJson(text, "DREY_COMMAND")
    return Array.isArray(list) ? list.map(String) : []
  }
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  )
}
