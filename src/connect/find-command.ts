import { existsSync, realpathSync, statSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { Machine } from "../clients/client.ts"
import { objectOf } from "../clients/json-value.ts"
import { readBeginning } from "../clients/read-beginning.ts"
import { readJsonFile } from "../clients/read-json-file.ts"
import { findProgram } from "../clients/wiring/find-trace.ts"
import type { DreyCommand } from "../clients/wiring.ts"
import { parseJson } from "../disk/parse-json.ts"
import { DreyError, exitCode } from "../errors.ts"
import { passingRunner } from "../formats/passing-runner.ts"

/**
 * How clients start Drey: as `DREY_COMMAND` says (a command line, or a JSON list of its words), else by its name where the PATH leads to a
 * Drey, else as this process was started, by paths that mean nothing on another machine.
 */
export function findDreyCommand(machine: Machine, program: { node: string; script: string }): DreyCommand {
  const given = wordsOf(machine.environment.DREY_COMMAND ?? "")
  const [command, ...args] = given
  if (command !== undefined) return { command, args, isPortable: given.every((word) => !/[\\/]/.test(word)) }
  if (isOnPath(machine)) return { command: "drey", args: [], isPortable: true }
  return { command: program.node, args: [program.script], isPortable: false }
}

/** The runner, such as `npx`, whose copy of Drey a command starts: a client that is started later would not find it. */
export function runnerBehind({ command, args }: DreyCommand): string | undefined {
  return [command, ...args].map(passingRunner).find((runner) => runner !== undefined)
}

/** Throws where clients would be given a command that is gone when this process ends: their hooks would fail, and say nothing. */
export function requireLasting(command: DreyCommand): void {
  const runner = runnerBehind(command)
  if (runner === undefined) return
  throw new DreyError(
    `Nothing is connected: ${runner} fetched this Drey for one command, and agents would not find it`,
    {
      hint: 'Install it ("npm install -g drey"), then run "drey connect".',
      exitCode: exitCode.no,
    },
  )
}

/** Whether the name alone starts a Drey here, for who is not started by a package manager too. */
export function isOnPath(machine: Machine): boolean {
  const path = findProgram(withoutPackagePaths(machine), "drey")
  return path !== undefined && leadsToDrey(path)
}

/** A package manager puts the programs of a project, and of what it fetched for one command, before the PATH of what it runs. */
function withoutPackagePaths(machine: Machine): Machine {
  const { environment, platform } = machine
  if (environment.npm_command === undefined && environment.npm_execpath === undefined) return machine
  const separator = platform === "win32" ? ";" : delimiter
  const folders = (environment.PATH ?? "").split(separator)
  const own = folders.filter((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
  return { ...machine, environment: { ...environment, PATH: own.join(separator) } }
}

/** The program itself lies in Drey's package; a starter that a package manager wrote names it. */
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
