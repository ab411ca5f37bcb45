import { allClients, recognizeTranscript } from "../../src/clients/all-clients.ts"
import type { TranscriptEvent } from "../../src/formats/client-events.ts"

import { builtInPolicy } from "../../src/formats/policy.ts"
import { compressEvent } from "../../src/learning/episodes/compressed-event.ts"
import { retryLoopsOf } from "../../src/learning/episodes/episode-stats.ts"
import { findingsOf } from "../../src/learning/episodes/findings.ts"
import { openSegmenter } from "../../src/learning/episodes/segmenter.ts"
import type { Episode, Frustration } from "../../src/memories/episode.ts"

export const moments = ["error", "test", "retry", "boundary", "correction", "statement", "frustration"] as const
export type Moment = (typeof moments)[number]

/** What a moment is: false and `none` say that there is nothing to see. */
export type Verdict = boolean | "passed" | "failed" | Frustration

/** What the rules say of a line of a transcript; undefined where they see nothing that such a moment could be. */
export type Predict = (moment: Moment, line: number) => Verdict | undefined

/** Reads a transcript as ingest does: client, compression, segments, findings. */
export async function predictMoments(path: string): Promise<Predict> {
  const said = new Map<string, Verdict>()
  for (const episode of await episodesIn(path))
    for (const { moment, line, verdict } of momentsIn(episode)) said.set(`${moment} ${line}`, verdict)
  return (moment, line) => said.get(`${moment} ${line}`)
}

async function episodesIn(path: string): Promise<Episode[]> {
  const transcript = recognizeTranscript(path)
  const client = allClients.find(({ id }) => id === transcript?.client)
  if (!transcript || !client) throw new Error(`${path} is not a transcript of a known client.`)
  const events: TranscriptEvent[] = []
  for await (const batch of client.read(transcript)) events.push(...batch.events)
  const [first] = events
  const identity = { client: client.id, session: first?.session ?? "", project: "p-labelled", transcript: path }
  const segmenter = openSegmenter(builtInPolicy.episode, identity)
  const closed = events.map((event) => segmenter.take(compressEvent(event, first?.cwd)))
  return [...closed, segmenter.close("session_end")].filter((episode) => episode !== undefined)
}

type Said = { moment: Moment; line: number; verdict: Verdict }

function momentsIn({ events, continuationOf }: Episode): Said[] {
  const findings = findingsOf(events)
  const retried = new Set(retryLoopsOf(events).flatMap(([, ...further]) => further))
  const opening = continuationOf === undefined ? events.findIndex(isUserMessage) : -1
  return events.flatMap((event, index): Said[] => {
    const say = (moment: Moment, verdict: Verdict) => ({ moment, line: event.line, verdict })
    const finds = (kind: "user_correction" | "explicit_statement") =>
      findings.some((finding) => finding.kind === kind && finding.event === index)
    if (event.kind === "tool_result")
      return [say("error", event.is_error ?? false), say("test", event.test ?? false), say("retry", retried.has(index))]
    if (!isUserMessage(event)) return []
    return [
      say("boundary", index === opening),
      say("correction", finds("user_correction")),
      say("statement", finds("explicit_statement")),
      say("frustration", event.frustration ?? "none"),
    ]
  })
}

function isUserMessage({ role, kind }: Episode["events"][number]): boolean {
  return role === "user" && kind === "message"
}
