import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Machine } from "../clients/client.ts"
import { objectOf } from "../clients/json-value.ts"
import { readBeginning } from "../clients/read-beginning.ts"
import { readJsonFile } from "../clients/read-json-file.ts"
import { findProgram } from "../clients/wiring/find-trace.ts"
import type { DreyCommand } from "../clients/wiring.ts"
import { parseJson } from "../disk/parse-json.ts"

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

/** Whether the name alone starts a Drey here. */
export function isOnPath(machine: Machine): boolean {
  const path = findProgram(machine, "drey")
  return path !== undefined && leadsToDrey(path)
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
