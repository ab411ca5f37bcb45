// What fields of session files may hold, apart from their schemas: whoever only names these words need not load zod.

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
