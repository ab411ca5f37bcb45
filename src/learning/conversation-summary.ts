import { existsSync, statSync } from "node:fs"
import { allClients } from "../clients/all-clients.ts"
import type { Client, Machine, Transcript } from "../clients/client.ts"
import type { ClientId } from "../formats/client-events.ts"
import { builtInPolicy } from "../formats/policy.ts"
import { quoteInline } from "../formats/text.ts"
import type { EpisodeEvent } from "../memories/episode.ts"
import { compressEvent } from "./episodes/compressed-event.ts"
import { attemptOf, isFailure } from "./episodes/episode-stats.ts"
import { excerpt } from "./episodes/excerpt.ts"
import { findingsOf } from "./episodes/findings.ts"
import { openSegmenter } from "./episodes/segmenter.ts"

/** A client waits for the result; a larger transcript would take too long. */
const mostBytes = 32 * 1024 * 1024
const longestWords = 600
const mostStatements = 8
const mostFailures = 5
const mostFiles = 12

/**
 * Summarizes a conversation from its transcript: the current task, the user's decisions, unsolved failures, and changed
 * files. An agent gets it after its client has compacted the conversation. "" when there is nothing to report.
 */
export async function summarizeConversation(
  asked: ConversationRequest,
  machine: Machine,
  root: string,
): Promise<string> {
  const client = allClients.find(({ id }) => id === asked.client)
  const transcript = client && findTranscript(client, asked, machine)
  if (!transcript) return ""
  const { events, words } = await readConversation(client, transcript, root)
  const task = openTaskOf(events, transcript)
  const lines = [
    ...tellTask(task, words),
    ...list("The user said", decisionsIn(events)),
    ...list("Failed and not solved yet", failuresIn(task)),
    ...list("Files changed", [filesIn(events).join(", ")].filter(Boolean)),
  ]
  if (lines.length === 0) return ""
  return `<drey-context>\n## This conversation before it was compacted\n${lines.join("\n")}\n</drey-context>`
}

/** A session of a client, with the path of its transcript if the client provides it. */
export type ConversationRequest = { client: ClientId; session: string | undefined; path: string | undefined }

function findTranscript(
  client: Client,
  { session, path }: ConversationRequest,
  machine: Machine,
): Transcript | undefined {
  if (path !== undefined && existsSync(path)) return { client: client.id, path }
  if (session === undefined) return undefined
  return client.find(machine).findLast((each) => each.session === session || each.path.includes(session))
}

type Said = {
  events: EpisodeEvent[]
  /** The user's messages by event id; an event itself is truncated. */
  words: Map<string, string>
}

/** Since the user last cleared the conversation. */
async function readConversation(client: Client, transcript: Transcript, root: string): Promise<Said> {
  const read: Said = { events: [], words: new Map() }
  const size = statSync(transcript.path, { throwIfNoEntry: false })?.size ?? 0
  if (transcript.session === undefined && size > mostBytes) return read
  for await (const { events } of client.read(transcript))
    for (const event of events) {
      if (event.mark === "clear") {
        read.events = []
        read.words.clear()
      }
      const compressed = compressEvent(event, root)
      read.events.push(compressed)
      if (isRequest(compressed)) read.words.set(event.id, excerpt(event.text, 0, event.text.length, longestWords))
    }
  return read
}

function isRequest({ role, kind, incident }: EpisodeEvent): boolean {
  return role === "user" && kind === "message" && incident === undefined
}

/** The events of the unfinished task. */
function openTaskOf(events: readonly EpisodeEvent[], { client, path }: Transcript): EpisodeEvent[] {
  const segmenter = openSegmenter(builtInPolicy.episode, { client, session: "", project: "", transcript: path })
  let before: EpisodeEvent[] = []
  for (const event of events) {
    const closed = segmenter.take(event)
    if (closed) before = closed.flushReason === "size" ? [...before, ...closed.events] : [] // a long task is split, not finished
  }
  const open = [...before, ...segmenter.openTask().events]
  return open.some(isRequest) ? open : events.slice(Math.max(0, events.findLastIndex(isRequest)))
}

/** The first and the latest request. */
function tellTask(task: readonly EpisodeEvent[], words: ReadonlyMap<string, string>): string[] {
  const requests = task.filter(isRequest).map(({ id, summary }) => words.get(id) ?? summary)
  const [first, ...others] = requests.filter((text) => text !== "")
  if (first === undefined) return []
  const last = others.at(-1)
  return [...list("Current task", [first]), ...(last === undefined ? [] : list("Latest request", [last]))]
}

/** Corrections and statements in order. */
function decisionsIn(events: readonly EpisodeEvent[]): string[] {
  const said = findingsOf(events).flatMap((finding) => {
    const event = finding.kind === "failure_then_success" ? undefined : events[finding.event]
    return event === undefined ? [] : [event.raw_snippet ?? event.summary]
  })
  return [...new Set(said)].slice(-mostStatements)
}

/** The commands whose latest result is a failure. */
function failuresIn(events: readonly EpisodeEvent[]): string[] {
  const last = new Map<string, EpisodeEvent>()
  for (const event of events) {
    const attempt = event.kind === "tool_result" && event.incident === undefined ? attemptOf(event) : undefined
    if (attempt === undefined) continue
    last.delete(attempt) // ordered by latest result
    last.set(attempt, event)
  }
  return [...last]
    .filter(([, event]) => isFailure(event) && event.action === "run")
    .slice(-mostFailures)
    .map(([attempt, event]) => `${event.command ?? attempt}: ${event.raw_snippet ?? event.summary}`)
}

function filesIn(events: readonly EpisodeEvent[]): string[] {
  const files = events.flatMap(({ action, file }) => (action === "edit" && file !== undefined ? [file] : []))
  return [...new Set(files.reverse())].slice(0, mostFiles)
}

function list(heading: string, texts: readonly string[]): string[] {
  const [only, ...others] = texts.map(quoteInline)
  if (only === undefined) return []
  return others.length === 0
    ? [`> ${heading}: ${only}`]
    : [`> ${heading}:`, ...[only, ...others].map((text) => `> - ${text}`)]
}
