import { accessSync, constants, existsSync, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import type { Machine } from "../client.ts"
import type { WiringPlace } from "../wiring.ts"

/** What shows that a client is used: programs on the PATH, names below the home folder or absolute ones, names in the repository. */
export type Traces = { programs?: readonly string[]; home?: readonly string[]; repository?: readonly string[] }

/** The first trace that is there, in words. */
export function findTrace(
  place: WiringPlace,
  { programs = [], home = [], repository = [] }: Traces,
): string | undefined {
  const program = programs.find((name) => findProgram(place, name) !== undefined)
  if (program !== undefined) return `"${program}" is on the PATH`
  const inRepository = repository.find((name) => existsSync(join(place.root, name)))
  if (inRepository !== undefined) return `the repository has ${inRepository}`
  const inHome = home.map((name) => (isAbsolute(name) ? name : join(place.home, name))).find((path) => existsSync(path))
  return inHome === undefined ? undefined : `${inHome} is there`
}

/** Where the PATH leads for the name of a program. */
export function findProgram({ environment, platform }: Machine, name: string): string | undefined {
  const endings = platform === "win32" ? (environment.PATHEXT ?? ".EXE;.CMD;.BAT").split(";") : [""]
  for (const folder of (environment.PATH ?? "").split(platform === "win32" ? ";" : delimiter)) {
    if (folder === "") continue
    for (const ending of endings) {
      const path = join(folder, `${name}${ending.toLowerCase()}`)
      if (isProgram(path)) return path
    }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // not there, or not for us
  }
}
