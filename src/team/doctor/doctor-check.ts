import type { Config } from "../../config.ts"
import type { Sensitive } from "../../governance/redaction.ts"
import type { StoreReading } from "../team-entries.ts"
import type { TeamStore } from "../team-folder.ts"

/** The result of one check. A `warn` of severity `info` needs no action. `details` are for programs. */
export type Check = {
  name: string
  status: "pass" | "fail" | "warn"
  message: string
  severity?: "info"
  details?: object
}

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

export type CheckResult = Omit<Check, "name">

/** One check. Its message states the finding and, unless it passed, what to do. */
export type NamedCheck = { name: string; examine: (examined: Examined) => CheckResult | Promise<CheckResult> }

export function pass(message: string): CheckResult {
  return { status: "pass", message }
}

export function fail(message: string): CheckResult {
  return { status: "fail", message }
}

export function warn(message: string): CheckResult {
  return { status: "warn", message }
}

export function info(message: string): CheckResult {
  return { status: "warn", severity: "info", message }
}

/** `a, b, c and 4 more`. */
export function nameSome(items: readonly string[], shown = 5): string {
  const more = items.length - shown
  return more > 0 ? `${items.slice(0, shown).join(", ")} and ${more} more` : items.join(", ")
}

/** `1 entry`, `2 entries`. */
export function quantity(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`
}

/** `20,480`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")
}
