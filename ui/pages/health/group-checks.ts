import type { Health } from "../../../src/web/api.ts"

type CheckWithFix = Health["checks"][number]

export type CheckGroup = {
  name: string
  meaning: string
  look: "fail" | "warn" | "info" | "pass"
  checks: CheckWithFix[]
}

/** Doctor's findings by how much they ask of a person, the most first. */
export function groupChecks(checks: readonly CheckWithFix[]): CheckGroup[] {
  const groups: Omit<CheckGroup, "checks">[] = [
    { look: "fail", name: "To mend", meaning: "Something is broken: memory is lost on agents until it is mended." },
    { look: "warn", name: "To look at", meaning: "It works, and a person should decide about it." },
    { look: "info", name: "Worth knowing", meaning: "Nothing has to be done." },
    { look: "pass", name: "In order", meaning: "Checked, and as it should be." },
  ]
  return groups.map((group) => ({ ...group, checks: checks.filter((check) => lookOf(check) === group.look) }))
}

function lookOf({ status, severity }: CheckWithFix): CheckGroup["look"] {
  return status === "warn" && severity === "info" ? "info" : status
}
