import type { Entry } from "../../formats/entry.ts"
import type { AgentMemory } from "../../formats/session/agent-memory.ts"
import type { EvidenceSource, MemoryKind, Trigger } from "../../store/memory.ts"

/** Something a session leaves behind for others, and where it would go. */
export type Graduate = LearnedGraduate | DecisionGraduate | LessonGraduate

/** An entry of a session. */
export type Source = { agent: string; id: string }

type Proposed = {
  /** `<agent>/<id>` of the entry that it is named by; an entry is named by one graduate at most. */
  id: string
  why: string
  /** The entries that it says all of: they graduate with it. */
  sources: Source[]
  /** Nobody has to be asked. */
  inAuto: boolean
}

/** For learned memory, on trial there. */
export type LearnedGraduate = Proposed & {
  target: "learned"
  kind: Extract<MemoryKind, "pattern" | "guard" | "invariant">
  text: string
  confidence: number
  trigger: Trigger
  evidence: Extract<EvidenceSource, "failure_then_success" | "pattern_observed">
  /** What the entries say, the telling one first. */
  quotes: (Source & { ts: string; text: string })[]
}

/** For the inbox of the team's decisions. */
export type DecisionGraduate = Proposed & { target: "inbox"; entry: Entry }

/** For the history of the agent that learned it: learned memory knows users and projects and no agents, the team's memory does. */
export type LessonGraduate = Proposed & {
  target: "history"
  agent: string
  entryId: string
  text: string
  details: string
}

/** What every agent of a session noted, by the agents' names. */
export type AgentMemories = ReadonlyMap<string, AgentMemory>

export function nameOf({ agent, id }: Source): string {
  return `${agent}/${id}`
}
