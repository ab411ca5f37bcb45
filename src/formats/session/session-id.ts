const pattern = /^\d{8}-\d{6}-[0-9a-f]{8}-[a-z0-9][a-z0-9-]{0,199}$/
const slugLimit = 30

/** `20260123-103000-abc1def2-auth-feature`: the start in UTC, eight random hexadecimal digits, the topic. */
export function makeSessionId(task: string, now: Date, hex8: string): string {
  const time = now.toISOString().replace(/[-:]/g, "").slice(0, 15).replace("T", "-")
  const id = `${time}-${hex8}-${toSlug(task) || "session"}`
  if (!isSessionId(id)) throw new Error(`"${id}" is not a valid session id: check the clock and the random digits`)
  return id
}

/** Whether a text is the id of a session, and so safe as the name of a folder. */
export function isSessionId(text: string): boolean {
  return pattern.test(text)
}

/** The part of a file's name that identifies an agent. Two agents may share it; the file itself names its agent. */
export function agentSlug(name: string): string {
  return toSlug(name) || "agent"
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, slugLimit)
    .replace(/-$/, "")
}

// Allowed values of fields in session files, apart from their schemas, so that code that only needs these words does not load zod.

export const discoveryTypes = [
  "codebase_structure",
  "dependency_check",
  "code_pattern",
  "api_surface",
  "data_model",
  "complexity_assessment",
  "failure_cause",
  "solution_verified",
] as const
export const importances = ["low", "medium", "high", "critical"] as const
export const attemptResults = ["success", "failure", "partial", "in_progress"] as const
export const decisionTypes = ["architectural", "implementation", "skip", "workaround", "compromise"] as const
export const impacts = ["low", "medium", "high"] as const
export const artifactActions = ["create", "modify", "delete"] as const
/** Of a step of the plan, and of a part of an attempt. */
export const stepStatuses = ["pending", "in_progress", "complete", "failed", "skipped"] as const
