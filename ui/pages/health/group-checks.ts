import type { Health } from "../../../src/recall/browse/app-api.ts"

type CheckWithFix = Health["checks"][number]

export type CheckGroup = {
  name: string
  meaning: string
  look: "fail" | "warn" | "info" | "pass"
  checks: CheckWithFix[]
}

/** Doctor's findings by urgency, the most urgent first. */
export function groupChecks(checks: readonly CheckWithFix[]): CheckGroup[] {
  const groups: Omit<CheckGroup, "checks">[] = [
    {
      look: "fail",
      name: "To fix",
      meaning: "Something is broken: agents may not get the team's memory until it is fixed.",
    },
    { look: "warn", name: "To review", meaning: "It works, but needs a decision." },
    { look: "info", name: "Worth knowing", meaning: "No action needed." },
    { look: "pass", name: "Passed", meaning: "No problems found." },
  ]
  return groups.map((group) => ({ ...group, checks: checks.filter((check) => lookOf(check) === group.look) }))
}

function lookOf({ status, severity }: CheckWithFix): CheckGroup["look"] {
  return status === "warn" && severity === "info" ? "info" : status
}
