import { existsSync, realpathSync, statSync } from "node:fs"
import { sep } from "node:path"
import { allClients } from "../../clients/all-clients.ts"
import type { Client, Machine, Transcript } from "../../clients/client.ts"
import { readBeginning } from "../../clients/transcripts/client-files.ts"
import { fileError } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import type { TranscriptEvent } from "../../formats/client-events.ts"
import type { ObservedWork } from "../../sessions/observed-work.ts"
import { openNoteTaker } from "./work-notes.ts"

/** A conversation by its client's id for it, with the path of its transcript where that is known. */
export type ConversationPlace = { client: string; session: string; path: string | undefined }

const mostSubAgents = 30

/**
 * What the agents of a conversation tried, found out and were told, from its transcript and those of its sub-agents.
 * Derived from the beginning each time, so live work and old transcripts give the same.
 */
export async function observeConversation(
  place: ConversationPlace,
  machine: Machine,
  root: string,
  mostBytes = 64 * 1024 * 1024,
): Promise<ObservedWork[]> {
  const client = allClients.find(({ id }) => id === place.client)
  if (!client) return []
  const notes = openNoteTaker(client.id, place.session, root)
  let left = mostBytes
  let began: string | undefined
  for (const transcript of transcriptsOf(client, place, machine)) {
    left -= sizeOf(transcript)
    if (left < 0) break
    for await (const event of eventsOf(client, transcript)) {
      if (!isOf(event, place.session)) continue
      began ??= event.session === place.session ? event.cwd : undefined
      if (began !== undefined && !isBelow(began, root)) return [] // in another checkout of the repository, which has its own sessions
      if (event.mark === "clear" && event.session === place.session) notes.clear()
      else notes.take(event)
    }
  }
  return notes.notes()
}

function isBelow(folder: string, root: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path)
  return `${real(folder)}${sep}`.startsWith(`${real(root)}${sep}`)
}

function isOf({ session, agent }: TranscriptEvent, wanted: string): boolean {
  return session === wanted || agent?.parent === wanted
}

/** The conversation's own first. */
function transcriptsOf(client: Client, { session, path }: ConversationPlace, machine: Machine): Transcript[] {
  const all = client.find(machine)
  const own =
    all.findLast((each) => !each.isSubAgents && (each.session === session || each.path === path)) ??
    (path === undefined ? all.findLast((each) => !each.isSubAgents && each.path.includes(session)) : undefined) ??
    (path === undefined ? undefined : { client: client.id, path })
  if (own === undefined) return []
  if (own.session !== undefined) return [own] // in a database
  const since = statSync(own.path, { throwIfNoEntry: false })?.birthtimeMs ?? 0
  const others = all.filter((each) => each.path !== own.path && each.session === undefined && isSince(each, since))
  const namesIt = ({ path }: Transcript) => path.includes(session) || readBeginning(path)?.includes(session) === true
  return [
    own,
    ...others
      .slice(-4 * mostSubAgents)
      .filter(namesIt)
      .slice(-mostSubAgents),
  ]
}

function isSince({ path }: Transcript, since: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since
}

function sizeOf({ path, session }: Transcript): number {
  return session === undefined ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
}

/** A transcript that is gone, or of which the end cannot be read, gives what could be read of it. */
async function* eventsOf(client: Client, transcript: Transcript): AsyncIterable<TranscriptEvent> {
  try {
    for await (const { events } of client.read(transcript)) yield* events
  } catch (error) {
    if (!(error instanceof DreyError) && !(fileError(transcript.path, error) instanceof DreyError)) throw error
  }
}
