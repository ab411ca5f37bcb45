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
const longestWords = 320
const mostStatements = 8
const mostFailures = 5
const mostFiles = 12

/** Where a conversation stands: its last moment, and lists whose important texts are last. */
export type ConversationState = { end: number; lists: HandOverList[] }
export type HandOverList = { name: string; texts: readonly string[] }

/**
 * Summarizes a conversation from its transcript: the current task, the user's decisions, unsolved failures, and changed
 * files. Undefined when there is nothing to report.
 */
export async function summarizeConversation(
  asked: ConversationRequest,
  machine: Machine,
  root: string,
): Promise<ConversationState | undefined> {
  const client = allClients.find(({ id }) => id === asked.client)
  const transcript = client && findTranscript(client, asked, machine)
  if (!transcript) return undefined
  const { events, words } = await readConversation(client, transcript, root)
  const task = openTaskOf(events, transcript)
  const requests = tellTask(task, words)
  const isNew = (statement: string) =>
    !requests.some(({ texts: [text = ""] }) => text.startsWith(statement.slice(0, 80)))
  const lists = [
    ...requests,
    { name: "Failed and not solved yet", texts: failuresIn(task) },
    { name: "The user said", texts: decisionsIn(events).filter(isNew) },
    { name: "Files changed", texts: [filesIn(events).join(", ")].filter(Boolean) },
  ].filter(({ texts }) => texts.length > 0)
  return lists.length === 0 ? undefined : { end: Date.parse(events.at(-1)?.ts ?? ""), lists }
}

export type HandOverPart = { heading: string; lists: readonly HandOverList[] }

/** Renders what fits into the budget, as quoted lines: one text of each list in turn, the last first. */
export function renderHandOver(
  parts: readonly HandOverPart[],
  { budget, countTokens }: { budget: number; countTokens: (text: string) => number },
): string {
  const kept = new Map<HandOverList, number>()
  const render = () => {
    const shown = parts.map(({ heading, lists }) => {
      const lines = lists.flatMap((each) =>
        list(each.name, each.texts.slice(each.texts.length - (kept.get(each) ?? 0))),
      )
      return lines.length === 0 ? "" : `## ${heading}\n${lines.join("\n")}`
    })
    return `<drey-context>\n${shown.filter(Boolean).join("\n")}\n</drey-context>`
  }
  const open = parts.flatMap(({ lists }) => lists)
  for (let turn = 1; turn <= mostStatements; turn++)
    for (const each of open) {
      const before = kept.get(each) ?? 0
      if (before !== turn - 1 || each.texts.length < turn) continue
      kept.set(each, turn)
      if (countTokens(render()) > budget) kept.set(each, before)
    }
  return [...kept.values()].some((count) => count > 0) ? render() : ""
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
  return client
    .find(machine)
    .findLast((each) => !each.isSubAgents && (each.session === session || each.path.includes(session)))
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
function tellTask(task: readonly EpisodeEvent[], words: ReadonlyMap<string, string>): HandOverList[] {
  const requests = task.filter(isRequest).map(({ id, summary }) => words.get(id) ?? summary)
  const [first, ...others] = requests.filter((text) => text !== "")
  if (first === undefined) return []
  const last = others.at(-1)
  const latest = last === undefined ? [] : [{ name: "Latest request", texts: [last] }]
  return [{ name: "Current task", texts: [first] }, ...latest]
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
