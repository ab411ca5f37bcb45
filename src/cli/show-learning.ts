import type { Ingestion } from "../learning/ingest.ts"
import type { Learned } from "../learning/learn.ts"
import type { OperationOutcome } from "../store/learned-store.ts"
import { count, formatNumber } from "./print.ts"
import { progressBar } from "./progress.ts"

/** The JSON document of `ingest` and `replay`; its first seven keys are relied on by other programs. */
export function ingestDocument({
  files,
  records,
  unknown,
  events,
  repeated,
  episodes,
  flushed,
  ...rest
}: Ingestion): object {
  const { learned, graduation, unreadable, paused } = rest
  return {
    files,
    records,
    unknown,
    events,
    episodes,
    memories: newMemories(learned.outcomes).length,
    skipped: learned.skipped.length,
    repeated,
    flushed,
    learned: learned.episodes,
    postponed: learned.postponed,
    outcomes: learned.outcomes,
    decisions: learned.evaluations.flatMap(({ decisions }) => decisions),
    graduation,
    unreadable,
    paused: paused.map(({ project, pause }) => ({ root: project.root, ...pause })),
  }
}

export function ingestText(ingestion: Ingestion): string {
  const { files, records, unknown, events, repeated, episodes, learned, paused } = ingestion
  const known = repeated > 0 ? ` (${formatNumber(repeated)} known already)` : ""
  const read =
    records === 0
      ? "Nothing new in the transcripts."
      : `Read ${count(records, "record")} of ${count(files, "transcript")}: ${count(events, "event")}${known}, ${count(episodes, "episode")}.`
  const kinds = Object.entries(unknown).map(([kind, number]) => `${kind} (${formatNumber(number)})`)
  return [
    ...pausedText(paused),
    ...(records === 0 && paused.length > 0 ? [] : [read]),
    ...(kinds.length > 0 ? [`Passed over, of a kind that is not known: ${kinds.join(", ")}.`] : []),
    ...learnedText(learned),
    ...graduationText(ingestion),
  ].join("\n")
}

/** That nothing was read because a person said so, and how to go on. */
export function pausedText(paused: Ingestion["paused"]): string[] {
  return paused.map(
    ({ project, pause }) =>
      `Learning is paused ${pause.of === "project" ? `in ${project.root}` : "everywhere"} since ${pause.since}; "drey resume${pause.of === "project" ? " --project" : ""}" goes on.`,
  )
}

/** What was learned and decided, in a few lines. */
export function learnedText({ episodes, skipped, postponed, outcomes, evaluations }: Learned): string[] {
  if (episodes + postponed.length === 0) return []
  const number = (...kinds: OperationOutcome["kind"][]) => outcomes.filter(({ kind }) => kinds.includes(kind)).length
  const parts = [
    count(newMemories(outcomes).length, "new memory", "new memories"),
    ...named(number("refined", "replaced"), "brought up to date"),
    ...named(number("duplicate"), "seen before"),
    ...named(number("deprecated"), "ended"),
    ...named(number("dropped"), "not taken"),
  ]
  const decisions = evaluations.flatMap((each) => each.decisions)
  return [
    `Learned from ${count(episodes, "episode")}: ${parts.join(", ")}${skipped.length > 0 ? `; ${formatNumber(skipped.length)} had nothing to teach` : ""}.`,
    ...decisions.map(({ memory, result, reason }) => `  ${result} ${memory}: ${reason}`),
    ...(postponed.length > 0
      ? [`${count(postponed.length, "episode waits", "episodes wait")} for the writer: ${postponed[0]?.reason}`]
      : []),
  ]
}

export function graduationText({ graduation }: Pick<Ingestion, "graduation">): string[] {
  const { proposed, skills, refused } = graduation
  return [
    ...proposed.map(({ memory, path }) => `Proposed to the team: ${memory} in ${path}`),
    ...skills.map(({ memory, path }) => `Proposed as a skill: ${memory} in ${path}`),
    ...refused.map(({ memory, reason }) => `Not proposed: ${memory} (${reason})`),
  ]
}

/** Two bars, one after the other: reading is counted in bytes, learning in episodes. */
export function ingestBars(): {
  progress: (stage: "reading" | "learning", done: number, total: number) => void
  end: () => void
} {
  const bars = { reading: progressBar("Reading"), learning: progressBar("Learning") }
  const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10
  return {
    progress(stage, done, total) {
      if (stage === "reading") bars.reading.update(megabytes(done), megabytes(total))
      else bars.learning.update(done, total)
    },
    end() {
      bars.reading.end()
      bars.learning.end()
    },
  }
}

function newMemories(outcomes: readonly OperationOutcome[]): OperationOutcome[] {
  return outcomes.filter(({ kind }) => kind === "added" || kind === "replaced")
}

function named(number: number, what: string): string[] {
  return number === 0 ? [] : [`${formatNumber(number)} ${what}`]
}
