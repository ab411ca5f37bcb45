import type { Config } from "../../config.ts"
import type { CheckResult } from "../../formats/check.ts"
import type { TeamStore } from "../team-folder.ts"

/** The team folder as all checks see it; never changed. */
export type Examined = {
  store: TeamStore
  /** The effective settings; undefined if a settings file cannot be read. */
  config: Config | undefined
  git: boolean
  now: Date
}

/** One check. Its message states the finding and, unless it passed, what to do. */
export type NamedCheck = { name: string; examine: (examined: Examined) => CheckResult | Promise<CheckResult> }
