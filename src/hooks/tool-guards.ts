import { existsSync, readFileSync, realpathSync } from "node:fs"
import { isAbsolute, relative, resolve, sep } from "node:path"
import { checkedOutBranch } from "../disk/git.ts"
import type { ToolCall } from "../formats/client-events.ts"
import { type CompiledGuard, type GuardsFile, guardsPath, matchGuards } from "../recall/guards/guard-match.ts"
import { findStore, type TeamStore } from "../team/team-folder.ts"
import { repositoryTrust, requireReadableTeamFolder } from "../trust.ts"

/** A repository and its team folder. */
export type LocatedTeam = TeamStore & { folder: string }

/** The team folder of the repository around `cwd`, if any. Throws if the team folder must not be read. */
export function locateTeam(cwd: string, home: string): LocatedTeam | undefined {
  const store = findStore(cwd, home)
  requireReadableTeamFolder(home, store)
  return store.folders[0] && { ...store, folder: store.folders[0].path }
}

/** A call with paths relative to the repository, its matching guards, and the affected folders that have their own rules. */
export type GuardedCall = { call: ToolCall; guards: CompiledGuard[]; folders: string[] }

/** The guards that match a tool call. Reads one compiled file and opens nothing slow. */
export function findGuards(call: ToolCall, cwd: string, team: LocatedTeam, home: string): GuardedCall {
  const { root, folder } = team
  const placed = { ...call, paths: call.paths.map((path) => relativeToRoot(resolve(cwd, path), root)) }
  const path = guardsPath(home, realpathSync.native(folder))
  const none = { call: placed, guards: [], folders: [] }
  if (!existsSync(path)) return none
  const file = JSON.parse(readFileSync(path, "utf8")) as GuardsFile
  if (file.format !== 1) return none
  const guards = matchGuards(file.guards, { ...placed, branch: branchFor(call, file.guards, root) })
  const folders = (file.folders ?? []).filter((folder) =>
    worksIn(folder, { ...placed, paths: [...placed.paths, relativeToRoot(cwd, root)] }),
  )
  if (guards.length + folders.length === 0) return none
  // Guards compiled before the trust was removed must not apply.
  return repositoryTrust(home, team).kind === "trusted" ? { call: placed, guards, folders } : none
}

/** Read only when a guard asks for it: git itself would take longer than everything else. */
function branchFor({ command }: ToolCall, guards: readonly CompiledGuard[], root: string): string | undefined {
  const isAsked = guards.some(({ triggers }) => triggers.commands.some(({ branches }) => branches !== undefined))
  return isAsked && command?.includes("git") ? checkedOutBranch(root) : undefined
}

/** In a command the folder must appear as a path, not as part of a word. */
function worksIn(folder: string, { paths, command = "" }: ToolCall): boolean {
  const at = command.indexOf(folder)
  const isNamed = at >= 0 && !/[\w.-]/.test(command[at - 1] ?? "") && !/[\w.-]/.test(command[at + folder.length] ?? "")
  return isNamed || paths.some((path) => path === folder || path.startsWith(`${folder}/`))
}

/** A path outside the repository is returned unchanged. */
export function relativeToRoot(path: string, root: string): string {
  const below = relative(root, path)
  return below.startsWith("..") || isAbsolute(below) ? path : below.split(sep).join("/")
}
