import { existsSync, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import type { DreyProgram } from "./drey-process.ts"

export type Finding = { kind: "found"; program: DreyProgram } | { kind: "missing"; reason: string }

/** `drey` by the setting, in a folder's `node_modules`, or on the path. Ask only in a trusted workspace: a folder may bring a program. */
export function findDrey(setting: string, folders: readonly string[], environment: NodeJS.ProcessEnv): Finding {
  if (setting !== "") {
    const path = places(setting, folders).find(isFile)
    return path === undefined
      ? { kind: "missing", reason: `drey.path names ${setting}, which is not a file` }
      : { kind: "found", program: programAt(path) }
  }
  const onPath = (environment.PATH ?? environment.Path ?? "").split(delimiter).filter(isAbsolute)
  const candidates = [...folders.map((folder) => join(folder, "node_modules", ".bin")), ...onPath].flatMap((folder) =>
    names.map((name) => join(folder, name)),
  )
  const path = candidates.find(isFile)
  return path === undefined
    ? { kind: "missing", reason: "drey is not on the path of this machine" }
    : { kind: "found", program: programAt(path) }
}

const names = process.platform === "win32" ? ["drey.cmd", "drey.exe"] : ["drey"]

function places(setting: string, folders: readonly string[]): string[] {
  const path = setting.replace(/^~(?=[\\/])/, process.env.HOME ?? process.env.USERPROFILE ?? "~")
  return isAbsolute(path) ? [path] : folders.map((folder) => join(folder, path))
}

/** A script is run by the Node on the path. */
function programAt(path: string): DreyProgram {
  if (/\.[cm]?js$/.test(path)) return { command: "node", args: [path] }
  return { command: path, args: [] }
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}
