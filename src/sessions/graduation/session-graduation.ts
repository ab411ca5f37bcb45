import { withFolderLock } from "../../disk/lock.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { AgentMemory } from "../../formats/session/agent-memory.ts"
import { redactForbidden } from "../../governance/redaction.ts"
import type { Session } from "../session-api.ts"
import {
  type AgentMemories,
  type DecisionGraduate,
  type Graduate,
  type LearnedGraduate,
  type LessonGraduate,
  nameOf,
  type Source,
} from "./graduate.ts"
import { graduateDecisions, graduateLessons } from "./graduated-decisions.ts"
import { graduateFindings, graduateGrounds } from "./graduated-discoveries.ts"
import { graduateSolutions } from "./graduated-solutions.ts"

/** `ask` only lists what could graduate, `auto` accepts what needs no confirmation. `chosen` are the ids that the user confirmed. */
export type GraduationRequest = { mode: "ask" | "auto" | "off" } | { chosen: "all" | readonly string[] }

/** What became of one graduate: `to` is the id under which it is kept. `isNew`: it was not there before. */
export type Landing =
  | { kind: "landed"; to: string; path?: string; isNew: boolean }
  | { kind: "refused"; reason: string } // never carries the content

/** Where graduates go; each destination answers for every graduate it got, in order, and accepts none twice. */
export type GraduationPorts = {
  /** `isAccepted`: the user wants it. */
  learn(lessons: readonly LearnedGraduate[], isAccepted: boolean): Promise<Landing[]>
  propose(decisions: readonly DecisionGraduate[]): Promise<Landing[]>
  note(lessons: readonly LessonGraduate[]): Promise<Landing[]>
}

export type SessionGraduation = {
  session: string
  /** Everything that could graduate at the start. */
  proposals: Graduate[]
  graduated: { id: string; target: Graduate["target"]; to: string; path?: string; isNew: boolean }[]
  refused: { id: string; reason: string }[]
}

/**
 * Passes on what is worth keeping of a session, and records the outcome in its entries. A kill in between loses and repeats nothing: each
 * destination recognises a graduate by its source entry.
 */
export async function graduateSession(
  session: Session,
  request: GraduationRequest,
  ports: GraduationPorts,
): Promise<SessionGraduation> {
  if ("mode" in request && request.mode !== "auto") {
    const proposals = request.mode === "off" ? [] : await proposalsOf(session)
    return { session: session.id, proposals, graduated: [], refused: [] }
  }
  const graduate = async () => {
    const proposals = await proposalsOf(session)
    const chosen = "mode" in request ? proposals.filter(({ inAuto }) => inAuto) : choose(proposals, request.chosen)
    const graduation: SessionGraduation = { session: session.id, proposals, graduated: [], refused: [] }
    const land = async <Kind extends Graduate>(graduates: Kind[], take: (each: Kind[]) => Promise<Landing[]>) => {
      if (graduates.length > 0) await keep(session, graduation, graduates, await take(graduates))
    }
    await land(chosen.filter(isLearned), (lessons) => ports.learn(lessons, "chosen" in request))
    await land(chosen.filter(isDecision), ports.propose)
    await land(chosen.filter(isLesson), ports.note)
    return graduation
  }
  return withFolderLock(session.folder, graduate, { name: "graduation.lock" })
}

async function proposalsOf(session: Session): Promise<Graduate[]> {
  return proposeGraduates(await session.memories({ archived: true }), session.id)
}

function isLearned(graduate: Graduate): graduate is LearnedGraduate {
  return graduate.target === "learned"
}

function isDecision(graduate: Graduate): graduate is DecisionGraduate {
  return graduate.target === "inbox"
}

function isLesson(graduate: Graduate): graduate is LessonGraduate {
  return graduate.target === "history"
}

function choose(proposals: readonly Graduate[], chosen: "all" | readonly string[]): Graduate[] {
  if (chosen === "all") return [...proposals]
  const named = new Set(chosen.map((name) => requireProposal(proposals, name)))
  return proposals.filter((proposal) => named.has(proposal))
}

/** By agent and id of an entry that it comes from, or by the id alone where only one agent has it. */
function requireProposal(proposals: readonly Graduate[], name: string): Graduate {
  const isMeant = ({ id, sources }: Graduate) =>
    id === name || sources.some((source) => source.id === name || `${source.agent}/${source.id}` === name)
  const found = proposals.filter(isMeant)
  const [only, ...others] = found
  if (only && others.length === 0) return only
  const ids = (only ? found : proposals).map(({ id }) => id).join(", ")
  throw new DreyError(
    only
      ? `${redactForbidden(name)} is ambiguous: several agents have this entry`
      : `No entry that can graduate has the id ${redactForbidden(name)}`,
    { ...(ids === "" ? {} : { hint: `Name one of ${ids}.` }), exitCode: exitCode.no },
  )
}

async function keep(
  session: Session,
  graduation: SessionGraduation,
  graduates: readonly Graduate[],
  landings: readonly Landing[],
): Promise<void> {
  const marks = graduates.flatMap(({ id, target, sources }, at) => {
    const landing = landings[at]
    if (landing === undefined) throw new Error(`no outcome was reported for ${id}`)
    if (landing.kind === "refused") {
      graduation.refused.push({ id, reason: landing.reason })
      return []
    }
    const { kind: _, ...place } = landing
    graduation.graduated.push({ id, target, ...place })
    return sources.map((source) => ({ ...source, to: place.to }))
  })
  if (marks.length > 0) await session.markGraduated(marks)
}

/**
 * The entries of a session worth keeping, in their final wording; deterministic for the same memories, which include
 * archived entries. Entries that have graduated, are unverified, ask a question, or were only momentary are left out.
 */
export function proposeGraduates(memories: AgentMemories, session: string): Graduate[] {
  const solutions = graduateSolutions(memories)
  const left = withoutGraduated(memories, new Set(solutions.flatMap(({ sources }) => sources.map(nameOf))))
  return [
    ...solutions,
    ...graduateFindings(left),
    ...graduateGrounds(left, memories),
    ...graduateDecisions(left, session),
    ...graduateLessons(left, session),
  ]
}

function withoutGraduated(memories: AgentMemories, used: ReadonlySet<string>): AgentMemories {
  const left = new Map<string, AgentMemory>()
  for (const [agent, memory] of memories) {
    const isLeft = ({ id, graduatedTo }: Pick<Source, "id"> & { graduatedTo?: string | undefined }) =>
      graduatedTo === undefined && !used.has(nameOf({ agent, id }))
    left.set(agent, {
      ...memory,
      discoveries: memory.discoveries.filter(isLeft),
      attempts: memory.attempts.filter(isLeft),
      decisions: memory.decisions.filter(isLeft),
    })
  }
  return left
}
