import { accessSync, constants, existsSync, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import type { Machine } from "../client.ts"
import type { WiringPlace } from "../wiring.ts"

/** Evidence of a client: programs on the PATH, paths below the home folder or absolute, names in the repository. */
export type Traces = { programs?: readonly string[]; home?: readonly string[]; repository?: readonly string[] }

/** Describes the first evidence that is found. */
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

/** The path of a program on the PATH. */
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
    return false // missing or not accessible
  }
}
