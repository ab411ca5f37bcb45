import { basename, join, relative } from "node:path"
import { allClients, recognizeTranscript } from "../../src/clients/all-clients.ts"
import type { TranscriptEvent } from "../../src/formats/client-events.ts"
import { builtInPolicy } from "../../src/formats/policy.ts"
import { compressEvent } from "../../src/learning/episodes/compressed-event.ts"
import { findingsOf } from "../../src/learning/episodes/findings.ts"
import { openSegmenter } from "../../src/learning/episodes/segmenter.ts"
import type { Weights } from "../../src/learning/words/lasting.ts"
import type { ReplyWeights } from "../../src/learning/words/reply.ts"
import { rulesWriter } from "../../src/learning/writer/rules/rules-writer.ts"
import type { Episode, EpisodeEvent } from "../../src/memories/episode.ts"
import { printColumns } from "../recall/print-table.ts"
import { type FailureFigures, judgeFailures } from "./failures.ts"
import { listTranscripts } from "./list-transcripts.ts"
import {
  coverage,
  foldsOf,
  type LabelledMessage,
  labelledSamples,
  matches,
  mostly,
  readLabels,
  repositoryOf,
  trainWeights,
  withoutEchoes,
  writtenSamples,
} from "./words/model.ts"
import { labelledReplies, sameMessage, trainReplies, unlike, writtenReplies } from "./words/replies.ts"

/**
 * Measures what the built-in writer makes of real sessions that a person has labelled, leaving one repository out of
 * the training at a time: `npm run bench:learning -- <transcripts> --labels <labels>`.
 */
export async function printLabels(transcripts: string, labels: string, { listed = false } = {}): Promise<void> {
  const messages = readLabels(labels)
  const sentences = { labelled: labelledSamples(messages), written: writtenSamples() }
  const replies = { labelled: await labelledReplies(transcripts, messages), written: writtenReplies() }
  const tallies: Tally[] = []
  for (const held of foldsOf(messages.map((message) => ({ repository: repositoryOf(message) })))) {
    const weights = trainWeights(leaveOut(held, sentences, withoutEchoes))
    const replyWeights = trainReplies(leaveOut(held, replies, unlike))
    const files = new Set(messages.filter((each) => held.has(repositoryOf(each))).map(({ file }) => file))
    for (const file of files) tallies.push(await judgeFile(transcripts, file, { messages, weights, replyWeights }))
  }
  const all = sumOf(tallies)
  const failures = judgeFailures(labels, await sessionsBelow(transcripts))
  console.log(`\n### Labelled sessions, one repository left out at a time: ${tallies.length} sessions\n`)
  printColumns([
    ["", "share", "95 %", "goal", "0.1.0"],
    row("kept statements found, must", all.mustFound, all.must, "70 %", "5 of 25"),
    row("kept statements found, all", all.found, all.keeps, "45 %", "5 of 64"),
    row("precision of what the words taught", all.right, all.learned, "85 %", "5 of 8"),
    row("junk: wrappers, tempting quotes", all.junk, all.learned, "at most 5 %", "0 of 8"),
    row("tempting quotes learned", all.tempted, all.tempting, "0", "0 of 62"),
    row("corrections, precision", all.correctionsRight, all.correctionsFound, "85 %", "18 of 19"),
    row("corrections, recall", all.correctionsRight, all.corrections, "75 %", "18 of 81"),
    row("new tasks, precision", all.tasksRight, all.tasksFound, "85 %", "67 of 80"),
    row("new tasks, recall", all.tasksRight, all.tasks, "80 %", "67 of 98"),
    ...failureRows(failures),
  ])
  if (listed) for (const line of [...tallies.flatMap(({ lines }) => lines), ...failures.lines]) console.log(line)
}

/** Only what the failures taught: nothing is trained, so it takes seconds. */
export async function printFailures(transcripts: string, labels: string, { listed = false } = {}): Promise<void> {
  const failures = judgeFailures(labels, await sessionsBelow(transcripts))
  printColumns([["", "share", "95 %", "goal", "0.1.0"], ...failureRows(failures)])
  if (listed) for (const line of failures.lines) console.log(line)
}

function failureRows(failures: FailureFigures): string[][] {
  return [
    row("false cures learned", failures.falseCures, failures.negatives, "0", "3 of 99"),
    row("real lessons learned, must", failures.mustFound, failures.must, "50 %", ""),
    row("real lessons learned, all", failures.lessonsFound, failures.lessons, "50 %", "5 of 56"),
  ]
}

type Material<T> = { labelled: readonly T[]; written: readonly T[] }

/** What remains for training without some repositories, and without what was written in their words. */
function leaveOut<T extends { repository: string }>(
  repositories: ReadonlySet<string>,
  { labelled, written }: Material<T>,
  without: (written: readonly T[], held: readonly T[]) => T[],
): Material<T> {
  const [held, others] = [true, false].map((isHeld) =>
    labelled.filter(({ repository }) => repositories.has(repository) === isHeld),
  ) as [T[], T[]]
  return { labelled: others, written: without(written, held) }
}

const noEvent = { summary: "" }

/** Every session below a folder, by repository, oldest first. */
export async function sessionsBelow(folder: string): Promise<(Episode & { file: string })[]> {
  const sessions: (Episode & { file: string })[] = []
  for (const { path } of listTranscripts(folder)) {
    const file = relative(folder, path)
    for (const episode of await episodesIn(path)) sessions.push({ ...episode, project: repositoryOf({ file }), file })
  }
  return sessions.sort((one, other) => (one.start < other.start ? -1 : 1))
}

const counts = {
  must: 0,
  mustFound: 0,
  keeps: 0,
  found: 0,
  learned: 0,
  right: 0,
  junk: 0,
  tempting: 0,
  tempted: 0,
  corrections: 0,
  correctionsFound: 0,
  correctionsRight: 0,
  tasks: 0,
  tasksFound: 0,
  tasksRight: 0,
}
type Counts = typeof counts
type Tally = Counts & { lines: string[] }

function sumOf(tallies: readonly Tally[]): Counts {
  const sum = { ...counts }
  for (const tally of tallies) for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += tally[name]
  return sum
}

type Labels = { messages: readonly LabelledMessage[]; weights: Weights; replyWeights: ReplyWeights }

async function judgeFile(folder: string, file: string, all: Labels): Promise<Tally> {
  const { messages, replyWeights } = all
  const tally: Tally = { ...counts, lines: [] }
  const labels = messages.filter((each) => each.file === file)
  const { episodes, learned } = await learnFrom(join(folder, file), all)
  const known = messages.filter((each) => each.file === file || JSON.stringify([each.also, each.copies]).includes(file))
  const labelOf = (text: string) =>
    known.find((label) => label.text.trim() === text.trim()) ?? known.find((label) => sameMessage(label.text, text))
  const stated = learned.filter(({ source }) => source !== "failure_then_success")
  const name = basename(file) === "full.jsonl" ? (file.split("/").at(-2) ?? file) : file
  for (const label of labels.filter(({ person }) => person)) {
    const from = stated.filter(({ said }) => sameMessage(label.text, said))
    for (const keep of label.keeps) {
      const isFound = from.some(({ text }) => matches(keep, text))
      tally.keeps++
      if (isFound) tally.found++
      if (keep.strength === "must") tally.must++
      if (keep.strength === "must" && isFound) tally.mustFound++
      if (!isFound) tally.lines.push(`missed (${keep.strength}) ${name}: ${keep.quote}`)
    }
    for (const quote of label.tempting ?? []) {
      tally.tempting++
      if (from.some(({ text }) => coverage(quote, text) >= mostly)) tally.tempted++
    }
    if (label.acts.includes("correction")) tally.corrections++
    if (label.new_task) tally.tasks++
    const opens = episodes.some(
      ({ events, continuationOf }) =>
        continuationOf === undefined && sameMessage(label.text, textOf(events.find(isTyped) ?? noEvent)),
    )
    if (label.new_task && !opens) tally.lines.push(`missed task ${name}: ${label.text.slice(0, 120)}`)
  }
  for (const { text, said } of stated) {
    const label = labelOf(said)
    const isRight = label?.keeps.some((keep) => matches(keep, text)) === true
    const isTempted = label?.tempting?.some((quote) => coverage(quote, text) >= mostly) === true
    tally.learned++
    if (isRight) tally.right++
    else if (label?.person === false || isTempted) tally.junk++
    tally.lines.push(`${isRight ? "right" : "WRONG"} ${name}: ${text}`)
  }
  for (const { events, continuationOf } of episodes) {
    const first = continuationOf === undefined ? events.find(isTyped) : undefined
    const isOpening = first && labelOf(textOf(first))
    if (isOpening?.person) {
      tally.tasksFound++
      if (isOpening.new_task) tally.tasksRight++
      else tally.lines.push(`no new task ${name}: ${isOpening.text.slice(0, 120)}`)
    }
    for (const finding of findingsOf(events, continuationOf !== undefined, replyWeights)) {
      const event = finding.kind === "user_correction" ? events[finding.event] : undefined
      const label = event && labelOf(textOf(event))
      if (!label?.person) continue
      tally.correctionsFound++
      if (label.acts.includes("correction")) tally.correctionsRight++
      else tally.lines.push(`no correction ${name}: ${label.text.slice(0, 120)}`)
    }
  }
  return tally
}

type LearnedText = { text: string; said: string; source: string }

async function learnFrom(
  path: string,
  { weights, replyWeights }: Labels,
): Promise<{ episodes: Episode[]; learned: LearnedText[] }> {
  const episodes = await episodesIn(path, replyWeights)
  const learned: LearnedText[] = []
  for (const episode of episodes) {
    const findings = findingsOf(episode.events, episode.continuationOf !== undefined, replyWeights)
    const owner = { type: "user" as const, id: "bench" }
    const answer = await rulesWriter(weights).write({
      episode,
      findings,
      known: [],
      owner,
      project: "",
      mostMemories: 3,
    })
    for (const operation of answer.kind === "written" ? answer.operations : []) {
      const event = episode.events[operation.evidence.event ?? -1]
      if (operation.op === "DEPRECATE" || event === undefined) continue
      learned.push({ text: operation.text, said: textOf(event), source: operation.evidence.source })
    }
  }
  return { episodes, learned }
}

async function episodesIn(path: string, replyWeights?: ReplyWeights): Promise<Episode[]> {
  const transcript = recognizeTranscript(path)
  const client = allClients.find(({ id }) => id === transcript?.client)
  if (!transcript || !client) return []
  const events: TranscriptEvent[] = []
  for await (const batch of client.read(transcript)) events.push(...batch.events)
  const [first] = events
  const identity = { client: client.id, session: first?.session ?? "", project: "p-labelled", transcript: path }
  const segmenter = openSegmenter(builtInPolicy.episode, identity, undefined, undefined, replyWeights)
  const closed = events.map((event) => segmenter.take(compressEvent(event, first?.cwd)))
  return [...closed, segmenter.close("session_end")].filter((episode) => episode !== undefined)
}

function isTyped({ role, kind, incident }: EpisodeEvent): boolean {
  return role === "user" && kind === "message" && incident === undefined
}

function textOf({ words, summary }: Pick<EpisodeEvent, "words" | "summary">): string {
  return words ?? summary
}

function row(what: string, part: number, whole: number, goal: string, before: string): string[] {
  const [low, high] = interval(part, whole)
  const share = whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`
  return [what, `${part} of ${whole}, ${share}`, `${Math.round(100 * low)}–${Math.round(100 * high)} %`, goal, before]
}

/** Wilson's interval. */
function interval(part: number, whole: number): [number, number] {
  if (whole === 0) return [0, 1]
  const z = 1.96
  const share = part / whole
  const middle = (share + z ** 2 / (2 * whole)) / (1 + z ** 2 / whole)
  const half = (z * Math.sqrt((share * (1 - share)) / whole + z ** 2 / (4 * whole ** 2))) / (1 + z ** 2 / whole)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
