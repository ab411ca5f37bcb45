import { isInside } from "../formats/file-paths.ts"
import type { Item } from "../index/index-store.ts"
import { readPayload } from "./payload.ts"

/** The parts of a context, in the order in which they are filled and shown. */
export const lanes = ["warnings", "rules", "team", "own", "learned", "untrusted"] as const
export type Lane = (typeof lanes)[number]

export type Eligibility = { kind: "may stand"; lane: Lane; reason: string } | { kind: "left"; reason: string }

export type EligibilityRequest = {
  agent: string | undefined
  paths: readonly string[]
  now: number
  /** Below this a learned memory waits for a second piece of evidence. */
  minConfidence?: number | undefined
  /** Everything that a repository brings along is background. */
  untrusted?: true | undefined
}

/** Whether an item may be shown to an agent, and in which lane. Relevance is not considered here. */
export function eligibilityOf(item: Item, request: EligibilityRequest): Eligibility {
  const [successor] = item.supersededBy
  if (successor !== undefined) return left(`superseded by ${successor}`)
  if (item.load === "ARCHIVE") return left("archived")
  if (item.load === "NEVER") return left("marked as never loaded")
  if (item.source === "session") return left("a session note: included once it has graduated")
  if (item.source === "docs") return left("agents read this file by themselves")
  if (item.source === "inbox") return left("waiting in the inbox")
  if (item.source === "learned" && item.expires !== undefined && item.expires <= request.now) return left("expired")
  if (item.pathPrefix !== undefined && !request.paths.some((path) => isInside(path, item.pathPrefix ?? "")))
    return left(`only for work in ${item.pathPrefix}`)
  if (item.source === "learned") return eligibilityOfLearned(item, request.minConfidence ?? leastConfidence)
  if (request.untrusted) return may("untrusted", "from a repository that is not trusted")
  if (item.source === "archive" && item.agent !== undefined) return may("own", "archived, still active")
  if (item.source === "history") return may("own", `${item.agent ?? "an agent"}'s own history`) // history entries never become rules
  if (item.source === "skills")
    return may("team", item.type === "skill" ? "a skill of the team" : `${item.type} in a skill`) // never a rule either
  if (item.type === "directive" || item.class === "POLICY") return may("rules", "a rule of the team")
  if (isRule(item)) return may("rules", "marked as always loaded")
  if (item.source === "archive") return may("team", "archived, still active")
  return may("team", `active ${item.type}`)
}

/** Decisions are always loaded because of their class; only an entry marked individually is a rule. */
function isRule({ type, class: memoryClass, load, marked }: Item): boolean {
  return type === "directive" || memoryClass === "POLICY" || (load === "ALWAYS" && marked === true)
}

const leastConfidence = 0.6

function eligibilityOfLearned(item: Item, minConfidence: number): Eligibility {
  const payload = readPayload(item)
  if (payload.kind !== "learned") return left("not a learned memory")
  const { status, tier, confidence, evidence } = payload
  if (confidence < minConfidence && evidence < 2) return left("low confidence: only one piece of evidence so far")
  const trial = status === "active" ? "proven in earlier work" : "learned from earlier work, on trial"
  if (item.type === "guard" || tier === "emergency") return may("warnings", `a ${item.type}, ${trial}`)
  return may("learned", trial)
}

function left(reason: string): Eligibility {
  return { kind: "left", reason }
}

function may(lane: Lane, reason: string): Eligibility {
  return { kind: "may stand", lane, reason }
}
