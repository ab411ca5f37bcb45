import { readFileSync } from "node:fs"
import { join } from "node:path"
import { failureLessonsOf } from "../../src/learning/writer/rules/failure-lessons.ts"
import type { Episode, EpisodeEvent } from "../../src/memories/episode.ts"

/** A person's label: a failure with its lesson, or one whose next success only looks like its cure (`memory` is null). */
type LabelledFailure = {
  file: string
  failed: number | string
  command?: string
  memory: string | null
  strength?: "must" | "nice"
}

export type FailureFigures = {
  negatives: number
  falseCures: number
  lessons: number
  lessonsFound: number
  must: number
  mustFound: number
  lines: string[]
}

type Shown = { file: string; event: EpisodeEvent; text: string }

/**
 * Plays the sessions of each repository in order, with what keeps happening over its sessions, and compares what was learned
 * with the labels. Nothing here is trained, so no repository is left out.
 */
export function judgeFailures(labelsFolder: string, sessions: readonly (Episode & { file: string })[]): FailureFigures {
  const labels: LabelledFailure[] = readFileSync(join(labelsFolder, "failures.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
  const learned = learnAll(sessions)
  const figures = { negatives: 0, falseCures: 0, lessons: 0, lessonsFound: 0, must: 0, mustFound: 0 }
  const lines = [...new Set(learned.map(({ text }) => text))].map((text) => `learned from failures: ${text}`)
  for (const label of labels) {
    const own = learned.filter((each) => isAt(each, label))
    if (label.memory === null) {
      const cures = own.filter(({ text }) => claimsCure.test(text))
      figures.negatives++
      figures.falseCures += Number(cures.length > 0)
      if (cures.length > 0) lines.push(`FALSE CURE ${label.file}@${label.failed}: ${cures[0]?.text}`)
      continue
    }
    const isMust = label.strength === "must"
    figures.lessons++
    figures.lessonsFound += Number(own.length > 0)
    figures.must += Number(isMust)
    figures.mustFound += Number(isMust && own.length > 0)
    lines.push(
      `${own.length > 0 ? "found" : "missed"} (${label.strength}) ${label.memory}${own[0] ? ` <= ${own[0].text}` : ""}`,
    )
  }
  return { ...figures, lines }
}

/** What says that something helps; "fails now and then" and "does not work here" claim nothing. */
const claimsCure = /works\.$|fixed (?:it|this) before|repairs most|with escalated permissions/

/** Every place of every lesson that was learned, in all sessions in which it showed. */
function learnAll(sessions: readonly (Episode & { file: string })[]): Shown[] {
  const places = new Map<string, { sessions: Set<string>; needed: number; shown: Shown[] }>()
  for (const episode of sessions)
    for (const { key, sessions: needed, lesson } of failureLessonsOf(episode)) {
      const event = episode.events[lesson.evidence.event ?? -1]
      if (event === undefined) continue
      const name = `${episode.project} ${key}`
      const known = places.get(name) ?? { sessions: new Set(), needed, shown: [] }
      known.sessions.add(episode.session)
      known.needed = Math.min(known.needed, needed)
      known.shown.push({ file: episode.file, event, text: lesson.text })
      places.set(name, known)
    }
  return [...places.values()].flatMap((each) => (each.sessions.size >= each.needed ? each.shown : []))
}

/** At most some records away: a label names the call, an event its result. Documents have no lines: there the command counts. */
function isAt({ file, event }: Shown, label: LabelledFailure): boolean {
  if (file !== label.file) return false
  if (event.line > 0) return event.line >= Number(label.failed) && event.line <= Number(label.failed) + 5
  const said = label.command?.slice(0, 40) ?? ""
  return said !== "" && event.command?.includes(said) === true
}
