import type { Config } from "../../config.ts"
import type { CheckResult } from "../../formats/check.ts"
import type { Sensitive } from "../../governance/redaction.ts"
import type { StoreReading } from "../team-entries.ts"
import type { TeamStore } from "../team-folder.ts"

/** The team folder as all checks see it: read once, never changed. */
export type Examined = {
  store: TeamStore
  reading: StoreReading
  /** Covers every file of the team folders except those that git ignores. */
  unreadable: { path: string; message: string }[]
  sensitive: (Sensitive & { path: string })[]
  /** The effective settings; undefined if a settings file cannot be read. */
  config: Config | undefined
  git: boolean
  now: Date
}

/** One check. Its message states the finding and, unless it passed, what to do. */
export type NamedCheck = { name: string; examine: (examined: Examined) => CheckResult | Promise<CheckResult> }
