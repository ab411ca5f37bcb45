import type { Memories } from "../../drey/memories.ts"
import { handleOf } from "../../formats/ids.ts"
import { removeInvisible } from "../../formats/text.ts"
import type { Ingestion } from "../../learning/ingest.ts"
import type { LearnedGraduation } from "../../learning/learned-graduation.ts"
import type { Learned } from "../../learning/learner.ts"
import type { OperationOutcome, StoreCounts } from "../../memories/learned-store.ts"
import { colors } from "../output.ts"
import { count, formatNumber, localMinute, progressBar } from "../print.ts"

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
  const { learned, graduation, unreadable, paused, troubled } = rest
  return {
    files,
    records,
    unknown,
    events,
    episodes,
    memories: newIds(learned.outcomes).length,
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
    troubled: troubled.map(({ project, error }) => ({ root: project.root, message: error.message })),
  }
}

export function ingestText(ingestion: Ingestion): string {
  const { files, records, unknown, events, repeated, episodes, learned, paused, troubled } = ingestion
  const known = repeated > 0 ? ` (${formatNumber(repeated)} known already)` : ""
  const read =
    records === 0
      ? "Nothing new in the transcripts."
      : `Read ${count(records, "record")} of ${count(files, "transcript")}: ${count(events, "event")}${known}, ${count(episodes, "episode")}.`
  const kinds = Object.entries(unknown).map(([kind, number]) => `${kind} (${formatNumber(number)})`)
  return [
    ...pausedText(paused),
    ...(records === 0 && paused.length > 0 ? [] : [read]),
    ...(kinds.length > 0 ? [`Skipped records of unknown kinds: ${kinds.join(", ")}.`] : []),
    ...learnedText(learned),
    ...graduationText(ingestion.graduation),
    ...troubled.map(({ project, error }) => `Cannot learn in ${project.root}: ${error.message}`),
  ].join("\n")
}

/** Explains that learning is paused, and how to resume it. */
export function pausedText(paused: Ingestion["paused"]): string[] {
  return paused.map(
    ({ project, pause }) =>
      `Learning is paused ${pause.of === "project" ? `in ${project.root}` : "everywhere"} since ${localMinute(pause.since)}. Resume it with "drey learn on${pause.of === "project" ? " --project" : ""}".`,
  )
}

/** What was learned and decided, in a few lines. */
export function learnedText({ episodes, skipped, postponed, outcomes, evaluations }: Learned): string[] {
  if (episodes + postponed.length === 0) return []
  const number = (...kinds: OperationOutcome["kind"][]) => outcomes.filter(({ kind }) => kinds.includes(kind)).length
  const parts = [
    count(newIds(outcomes).length, "new memory", "new memories"),
    ...named(number("refined", "replaced"), "updated"),
    ...named(number("duplicate"), "seen before"),
    ...named(number("deprecated"), "retired"),
    ...named(number("dropped"), "rejected"),
  ]
  const decisions = evaluations.flatMap((each) => each.decisions)
  const added = new Set(newIds(outcomes))
  const ofTheirTime = decisions.filter(({ memory, result }) => result === "expire" && added.has(memory))
  return [
    `Learned from ${count(episodes, "episode")}: ${parts.join(", ")}${skipped.length > 0 ? `; ${formatNumber(skipped.length)} had nothing to teach` : ""}.`,
    ...decisions
      .filter((decision) => !ofTheirTime.includes(decision))
      .map(({ memory, result, reason }) => `  ${result} ${memory}: ${reason}`),
    ...(ofTheirTime.length > 0 ? [`  ${count(ofTheirTime.length, "had already expired", "had already expired")}`] : []),
    ...postponedText(postponed),
  ]
}

/** Episodes for which the writer failed: some are retried automatically, parked ones only on request. */
export function postponedText(postponed: Learned["postponed"]): string[] {
  const parked = postponed.filter((each) => each.parked)
  const waiting = postponed.filter((each) => !each.parked)
  return [
    ...(waiting[0]
      ? [`${count(waiting.length, "episode waits", "episodes wait")} for the writer: ${waiting[0].reason}`]
      : []),
    ...(parked[0]
      ? [
          `The writer failed too often for ${count(parked.length, "episode")}: ${parked[0].reason} (retry with "drey ingest --retry")`,
        ]
      : []),
  ]
}

/** Counts a project's episodes by state. Skipped episodes count as learned from, as in the output of `ingest`. */
export function episodesText({ episodes, openTasks }: Pick<StoreCounts, "episodes" | "openTasks">): string {
  const { processed, skipped, waiting, parked } = episodes
  const parts = [
    ...(processed + skipped > 0 ? [`${formatNumber(processed + skipped)} learned from`] : []),
    ...(skipped > 0 ? [`${formatNumber(skipped)} of them with nothing to teach`] : []),
    ...(waiting > 0 ? [`${formatNumber(waiting)} waiting`] : []),
    ...(parked > 0 ? [`${formatNumber(parked)} failed (retry with drey ingest --retry)`] : []),
    ...(openTasks > 0 ? [`${count(openTasks, "task")} open`] : []),
  ]
  return parts.length === 0 ? "none yet" : parts.join(", ")
}

/** Memories that were proposed to the team, or would be in a dry run. */
export function graduationText({ proposed, skills, refused }: LearnedGraduation, { dryRun = false } = {}): string[] {
  const [done, not] = dryRun ? ["Would be proposed", "Would not be proposed"] : ["Proposed", "Not proposed"]
  return [
    ...proposed.map(({ memory, path }) => `${done} to the team: ${memory} in ${path}`),
    ...skills.map(({ memory, path }) => `${done} as a skill: ${memory} in ${path}`),
    ...refused.map(({ memory, reason }) => `${not}: ${memory} (${reason})`),
  ]
}

/** Two bars, one after the other: reading is counted in bytes, learning in episodes. */
export function ingestBars(): {
  progress: (stage: "reading" | "learning", done: number, total: number) => void
  end: () => void
} {
  const bars = { reading: progressBar("Reading", " MB"), learning: progressBar("Learning") }
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

function newIds(outcomes: readonly OperationOutcome[]): string[] {
  return outcomes.flatMap((outcome) => (outcome.kind === "added" || outcome.kind === "replaced" ? [outcome.id] : []))
}

function named(number: number, what: string): string[] {
  return number === 0 ? [] : [`${formatNumber(number)} ${what}`]
}

/** One line per new active memory, and per rejected proposal with its reason. */
export async function newMemoryLines(
  learning: Pick<Memories, "find">,
  outcomes: readonly OperationOutcome[],
  mostShown = 20,
): Promise<string[]> {
  const ids = outcomes.flatMap((outcome) =>
    outcome.kind === "added" || outcome.kind === "replaced" || outcome.kind === "refined" ? [outcome.id] : [],
  )
  const found = (await Promise.all(ids.map((id) => learning.find(id)))).flat()
  const live = found.filter(({ status }) => status !== "deprecated")
  const lines = live
    .slice(0, mostShown)
    .map(({ id, kind, text }) => `  ${handleOf(id)}  ${kind}: ${removeInvisible(text)}`)
  const more = live.length > mostShown ? [colors.dim(`  and ${live.length - mostShown} more: drey status --all`)] : []
  const refused = outcomes.flatMap((outcome) =>
    outcome.kind === "dropped" ? [colors.dim(`  rejected: ${removeInvisible(outcome.reason)}`)] : [],
  )
  return [...lines, ...more, ...new Set(refused)]
}
