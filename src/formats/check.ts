/** The result of one check. A `warn` of severity `info` needs no action. `details` are for programs. */
export type Check = {
  name: string
  status: "pass" | "fail" | "warn"
  message: string
  severity?: "info"
  details?: object
}

export type CheckResult = Omit<Check, "name">

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
