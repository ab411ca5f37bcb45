import { sha256 } from "../disk/sha256.ts"
import type { Episode } from "../episodes/episode.ts"
import { statsOf } from "../episodes/stats.ts"
import { instantOfMoment } from "../formats/session/instant-of-moment.ts"
import { truncate } from "../formats/truncate.ts"
import { clearText } from "../governance/cleared.ts"
import { isTransient } from "../governance/detect-transient.ts"
import { withhold } from "../governance/withhold.ts"
import type { Landing } from "../sessions/graduate-session.ts"
import type { LearnedGraduate } from "../sessions/graduation/graduate.ts"
import { clearNote } from "../store/clear-words.ts"
import type { OperationOutcome } from "../store/learned-store.ts"
import { readsLikeInstruction } from "../writer/reads-like-instruction.ts"
import { chooseKey } from "../writer/rules/choose-key.ts"
import type { Operation } from "../writer/writer.ts"
import { commitPolicyOf } from "./learn.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** What graduates from a session of Drey's own. */
export type SessionLessons = {
  session: { id: string; folder: string }
  lessons: readonly LearnedGraduate[]
  /** A person has read them and wants them. */
  isAccepted: boolean
}

/**
 * Takes what agents learned in a session into memory, on trial, in the same way as what is learned from transcripts. Each lesson is an
 * episode of its own, known by the entry that it comes from, so that a second time finds it done. An agent's word about its own success is
 * no verified outcome: all of it is kept as the agent's, and a guard only where a person wants it.
 */
export async function learnFromSession(
  parts: LearningParts,
  project: Project,
  { session, lessons, isAccepted }: SessionLessons,
): Promise<Landing[]> {
  if (parts.pauseOf(project.id)) return lessons.map(() => ({ kind: "refused", reason: "learning is paused" }))
  const landings: Landing[] = []
  for (const lesson of lessons) {
    const reason = whyNot(parts, project, lesson, isAccepted)
    const episode = toEpisode(session, project, lesson, parts.now())
    landings.push(
      reason === undefined ? await learn(parts, project, episode, lesson, isAccepted) : { kind: "refused", reason },
    )
  }
  return landings
}

/** Asked before anything is kept: what was refused can be mended, and come again. */
function whyNot(
  { policyOf }: LearningParts,
  project: Project,
  { text, confidence }: LearnedGraduate,
  isAccepted: boolean,
): string | undefined {
  const cleared = clearText(text)
  if (cleared.kind === "refused") return `it contains a secret: ${cleared.reason}`
  if (cleared.redactions > 0) return "parts of it would have to be redacted"
  if (isTransient(text)) return "it only tells how a run stood"
  if (confidence < policyOf(project.root).commit.drop_confidence) return `confidence ${confidence} is too low`
  if (!isAccepted && readsLikeInstruction(text)) return "it reads like an order, for which a person's word is needed"
  return undefined
}

async function learn(
  { store, policyOf, owner, now }: LearningParts,
  project: Project,
  episode: Episode,
  lesson: LearnedGraduate,
  isAccepted: boolean,
): Promise<Landing> {
  const committed = await store.commit({
    episode,
    operations: [toOperation(lesson, owner)],
    owner: { type: "user", id: owner },
    account: { isAccepted },
    trigger: lesson.trigger,
    settlement: { uses: [], injected: true }, // a few lines of notes must not pass for an episode's worth of errors and retries
    policy: commitPolicyOf(policyOf(project.root)),
    now: now().toISOString(),
  })
  if (committed.kind === "committed") return landingOf(committed.outcomes[0])
  const [memory] = await store.memories({ episode: episode.id })
  if (memory) return { kind: "landed", to: memory.id, isNew: false }
  return { kind: "refused", reason: "it was turned down or forgotten before" }
}

function toOperation({ kind, text, confidence, trigger, evidence }: LearnedGraduate, owner: string): Operation {
  const key = kind === "invariant" ? chooseKey(text, false) : undefined
  return {
    op: "ADD",
    scope: "project",
    owner: { type: "user", id: owner },
    kind,
    tier: "short_term",
    polarity: kind === "guard" ? -1 : 1,
    ...(key === undefined ? {} : { key }),
    text,
    confidence,
    trigger,
    evidence: { source: evidence, frustration: "none", event: 0 },
  }
}

function landingOf(outcome: OperationOutcome | undefined): Landing {
  if (outcome === undefined || outcome.kind === "dropped")
    return { kind: "refused", reason: outcome?.reason ?? "nothing was learned" }
  if (outcome.kind === "duplicate") return { kind: "landed", to: outcome.of, isNew: false }
  return { kind: "landed", to: outcome.id, isNew: outcome.kind !== "flagged" }
}

const longestSummary = 200

/** What was noted, as an episode that holds nothing else. */
function toEpisode(session: SessionLessons["session"], project: Project, lesson: LearnedGraduate, now: Date): Episode {
  const times = lesson.quotes.map(({ ts }) => new Date(instantOfMoment(ts) ?? now.getTime()).toISOString())
  const [start = now.toISOString()] = times.toSorted()
  const end = times.toSorted().at(-1) ?? start
  const events = lesson.quotes.map(({ agent, id, text }, at) => ({
    id: withhold(`${session.id}/${agent}/${id}`),
    ts: times[at] ?? end,
    line: 0,
    role: "assistant" as const,
    kind: "message" as const,
    summary: truncate(clearNote(`${agent}/${id}: ${text}`), longestSummary),
  }))
  return {
    id: episodeIdOf(session.id, lesson.id),
    project: project.id,
    client: "drey",
    session: `sessions/${session.id}`, // no client's: the tasks of theirs stay with them
    transcript: session.folder,
    start,
    end,
    events,
    stats: statsOf(events),
    flushReason: "session_end",
  }
}

/** Nothing that can be changed in a session goes into it. */
function episodeIdOf(session: string, lesson: string): string {
  const day = session.replace(/^(\d{4})(\d\d)(\d\d).*$/, "$1-$2-$3")
  return `ep-${day}-${sha256(`drey\n${session}\n${lesson}`).slice(0, 12)}`
}
