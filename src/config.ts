import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { isRecord, parseJson } from "./disk/parse-json.ts"
import { readTextFile } from "./disk/read-text-file.ts"
import { DreyError } from "./errors.ts"

export type Config = {
  compat: {
    /** Adds a `**By:**` line to written entries, which SquadUI reads. */
    squadui: boolean
  }
  limits: {
    /** A history above this size is summarised: its oldest parts move to the archive beside it. */
    historyBytes: number
  }
}

export const builtInConfig: Config = { compat: { squadui: false }, limits: { historyBytes: 12_288 } }

/**
 * The settings in force. Later places win: built in, the user's `~/.drey/config.json` (`DREY_HOME` moves it), the
 * project's `.squad/config.json` under the key `drey`.
 */
export function readConfig(storeFolder: string | undefined, environment: NodeJS.ProcessEnv): Config {
  const user = readJson(join(dreyHome(environment), "config.json"))
  const project = storeFolder === undefined ? undefined : readJson(join(storeFolder, "config.json"))?.drey
  const config = structuredClone(builtInConfig)
  for (const layer of [user, project]) {
    const compat = isRecord(layer) && isRecord(layer.compat) ? layer.compat : {}
    if (typeof compat.squadui === "boolean") config.compat.squadui = compat.squadui
    const limits = isRecord(layer) && isRecord(layer.limits) ? layer.limits : {}
    if (typeof limits.historyBytes === "number" && limits.historyBytes > 0)
      config.limits.historyBytes = limits.historyBytes
  }
  return config
}

/** Where Drey keeps what belongs to the user and not to a repository; `DREY_HOME` moves it. */
export function dreyHome(environment: NodeJS.ProcessEnv): string {
  return environment.DREY_HOME ?? join(homedir(), ".drey")
}

function readJson(path: string): Record<string, unknown> | undefined {
  if (!existsSync(path)) return undefined
  const value = parseJson(readTextFile(path).text, path)
  if (isRecord(value)) return value
  throw new DreyError(`${path} does not hold a JSON object`)
}
