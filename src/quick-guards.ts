import { existsSync, readFileSync, realpathSync } from "node:fs"
import { isAbsolute, relative, resolve, sep } from "node:path"
import { guardsPath } from "./recall/guards-path.ts"
import { type CompiledGuard, type GuardsFile, matchGuards } from "./recall/match-guards.ts"
import type { ToolCall } from "./recall/tool-call.ts"
import { findStore, type Store } from "./squad/find-store.ts"
import { repositoryTrust, requireUsable } from "./trust.ts"

/** A repository and its team folder. */
export type Team = Store & { folder: string }

/** The team whose repository a folder is in; undefined where there is none. Throws where the team folder must not be read. */
export function findTeam(cwd: string, home: string): Team | undefined {
  const store = findStore(cwd, home)
  requireUsable(home, store)
  return store.folders[0] && { ...store, folder: store.folders[0].path }
}

/** A call with its paths from the root of the repository, and the guards that speak against it. */
export type GuardedCall = { call: ToolCall; guards: CompiledGuard[] }

/** What speaks against a call that an agent is about to make in a folder. It asks one compiled file, and nothing that takes time to open. */
export function findGuards(call: ToolCall, cwd: string, team: Team, home: string): GuardedCall {
  const { root, folder } = team
  const placed = { ...call, paths: call.paths.map((path) => fromRoot(resolve(cwd, path), root)) }
  const path = guardsPath(home, realpathSync.native(folder))
  if (!existsSync(path)) return { call: placed, guards: [] }
  const { format, guards } = JSON.parse(readFileSync(path, "utf8")) as GuardsFile
  const matching = format === 1 ? matchGuards(guards, placed) : []
  // What was compiled before the trust was removed does not count any more.
  const mayWarn = matching.length > 0 && repositoryTrust(home, team).kind === "trusted"
  return { call: placed, guards: mayWarn ? matching : [] }
}

/** A path outside of the repository stays whole. */
function fromRoot(path: string, root: string): string {
  const below = relative(root, path)
  return below.startsWith("..") || isAbsolute(below) ? path : below.split(sep).join("/")
}
