import type { EntryType } from "../entry.ts"
import type { LegacyHeading } from "./parse-heading.ts"

export type TypeEvidence = {
  heading: LegacyHeading
  labelled: EntryType | undefined
  fileName: string
  inHistory: boolean
  viaCopilot: boolean
  rationale: string
  summary: string
  authorIsAgent: boolean
  hasWhatOrWhy: boolean
}

const userRequest =
  /\b(?:user (?:request|directive|preference)|captured for team memory|(?:requested|stated|said) by (?:the )?user)\b/i
const rule = /^(?:always|never|must|do not|don['’]t|from now on|going forward|we don['’]t)\b/i
const report =
  /\b(?:session (?:log|summary)|retrospective|sprint\b.*\bcomplete|PR #?\d+ (?:review|merged)|review round|verification|status|triage|handoff)\b/i

/** "User request — captured for team memory" and the like: why something is a directive. */
export function isUserRequest(rationale: string): boolean {
  return userRequest.test(rationale)
}

/** Tells the type of a legacy entry, and whether it is a guess that a person should look at. */
export function inferType(evidence: TypeEvidence): { type: EntryType; ambiguous: boolean } {
  const { heading, labelled } = evidence
  if (heading.type && heading.type !== "directive") return { type: heading.type, ambiguous: false }
  if (labelled) return { type: labelled, ambiguous: false }
  if (isDirective(evidence)) return { type: "directive", ambiguous: false }
  if (evidence.inHistory) return { type: "memory", ambiguous: false }
  const isReport = report.test(heading.title) && !/decision/i.test(heading.text) && !evidence.hasWhatOrWhy
  return isReport ? { type: "note", ambiguous: true } : { type: "decision", ambiguous: false }
}

function isDirective({ heading, fileName, viaCopilot, rationale, summary, authorIsAgent }: TypeEvidence): boolean {
  if (heading.type === "directive" || /^copilot-directive-/i.test(fileName) || viaCopilot) return true
  if (isUserRequest(rationale)) return true
  return !authorIsAgent && rule.test(summary) && !/[.!?]\s+\S/.test(summary)
}
