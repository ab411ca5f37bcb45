import { sha256 } from "../disk/hash.ts"
import { truncate } from "../formats/text.ts"
import { instantOfMoment } from "../formats/timestamp.ts"
import { isTransient } from "../governance/classify.ts"
import { clearText } from "../governance/cleared.ts"
import { redactForbidden } from "../governance/redaction.ts"
import type { Episode } from "../memories/episode.ts"
import type { OperationOutcome } from "../memories/learned-store.ts"
import { clearNote } from "../memories/proposal.ts"
import type { Operation } from "../memories/writer.ts"
import type { LearnedGraduate } from "../sessions/graduation/graduate.ts"
import type { Landing } from "../sessions/graduation/session-graduation.ts"
import { statsOf } from "./episodes/episode-stats.ts"
import { commitPolicyOf } from "./learner.ts"
import type { LearningParts, LearningProject } from "./learning-parts.ts"
import { chooseKey } from "./writer/rules/statement-lessons.ts"
import { readsLikeInstruction } from "./writer/sentences.ts"

/** Lessons graduating from one of Drey's own sessions. */
export type SessionLessons = {
  session: { id: string; folder: string }
  lessons: readonly LearnedGraduate[]
  /** The user has reviewed and accepted them. */
  isAccepted: boolean
}

/**
 * Stores what agents learned in a session as memories on trial, like lessons from transcripts. Each lesson is its own
 * episode, identified by its session entry, so repeating is idempotent. An agent's claim of success is not a verified
 * outcome: its origin stays the agent, and it becomes a guard only if the user accepts it.
 */
export async function learnFromSession(
  parts: LearningParts,
  project: LearningProject,
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

/** Checked before anything is stored: a refused lesson can be fixed and submitted again. */
function whyNot(
  { policyOf }: LearningParts,
  project: LearningProject,
  { text, confidence }: LearnedGraduate,
  isAccepted: boolean,
): string | undefined {
  const cleared = clearText(text)
  if (cleared.kind === "refused") return `it contains a secret: ${cleared.reason}`
  if (cleared.redactions > 0) return "parts of it would have to be redacted"
  if (isTransient(text)) return "it only describes the state of one run"
  if (confidence < policyOf(project.root).commit.drop_confidence) return `confidence ${confidence} is too low`
  if (!isAccepted && readsLikeInstruction(text)) return "it reads like an instruction, which the user must accept"
  return undefined
}

async function learn(
  { store, policyOf, owner, now }: LearningParts,
  project: LearningProject,
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
    settlement: { uses: [], injected: true }, // a few notes must not count as a whole episode's errors and retries
    policy: commitPolicyOf(policyOf(project.root)),
    now: now().toISOString(),
  })
  if (committed.kind === "committed") return landingOf(committed.outcomes[0])
  const [memory] = await store.memories({ episode: episode.id })
  if (memory) return { kind: "landed", to: memory.id, isNew: false }
  return { kind: "refused", reason: "it was refused or forgotten before" }
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

/** The notes as an episode with nothing else in it. */
function toEpisode(
  session: SessionLessons["session"],
  project: LearningProject,
  lesson: LearnedGraduate,
  now: Date,
): Episode {
  const times = lesson.quotes.map(({ ts }) => new Date(instantOfMoment(ts) ?? now.getTime()).toISOString())
  const [start = now.toISOString()] = times.toSorted()
  const end = times.toSorted().at(-1) ?? start
  const events = lesson.quotes.map(({ agent, id, text }, at) => ({
    id: redactForbidden(`${session.id}/${agent}/${id}`),
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
    session: `sessions/${session.id}`, // not a client's session id, so that it cannot match a client's tasks
    transcript: session.folder,
    start,
    end,
    events,
    stats: statsOf(events),
    flushReason: "session_end",
  }
}

/** Contains nothing that can be changed within a session. */
function episodeIdOf(session: string, lesson: string): string {
  const day = session.replace(/^(\d{4})(\d\d)(\d\d).*$/, "$1-$2-$3")
  return `ep-${day}-${sha256(`drey\n${session}\n${lesson}`).slice(0, 12)}`
}
