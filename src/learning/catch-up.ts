import { statSync } from "node:fs"
import type { Transcript } from "../clients/client.ts"
import { DreyError } from "../errors.ts"
import { ingest } from "./ingest.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

/** `left`: changed transcripts that could not be read in time; `problem`: why none could be. */
export type CatchUp = { read: number; left: number; problem?: string }

const longestMs = 2000
/** About what can be read in one second. */
const mostBytes = 16 * 1024 * 1024
/** A session that ended earlier may have been read later. */
const slackMs = 24 * 60 * 60 * 1000

/**
 * Reads new transcript content of a project, newest first, for at most about two seconds, because the caller waits.
 * Learning is left out: it may need a model. `newest`: anything older is already known.
 */
export async function catchUp(parts: LearningParts, project: Project, newest: number | undefined): Promise<CatchUp> {
  const changed = await listChanged(parts, (newest ?? 0) - slackMs)
  let looks = 0
  try {
    const { files } = await ingest(parts, {
      projects: [project],
      transcripts: takeWhatFits(changed),
      learn: false,
      waitMs: longestMs,
      signal: AbortSignal.timeout(longestMs),
      onLook: () => looks++,
    })
    return { read: files, left: changed.length - looks }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { read: 0, left: changed.length, problem: error.message } // earlier sessions can still be shown
  }
}

type Changed = { transcript: Transcript; bytes: number; at: number }

async function listChanged({ clients, machine, store }: LearningParts, since: number): Promise<Changed[]> {
  const changed: Changed[] = []
  for (const transcript of clients.flatMap((client) => client.find(machine))) {
    const { client, path, session } = transcript
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file || file.mtimeMs < since) continue
    const position = await store.position(client, path, session)
    const isRead = position !== undefined && position.offset >= file.size
    // A session's share of a database is unknown, and small.
    const bytes = session === undefined ? file.size - (position?.offset ?? 0) : 0
    if (!isRead) changed.push({ transcript, bytes, at: file.mtimeMs })
  }
  return changed.sort((one, other) => other.at - one.at)
}

function takeWhatFits(changed: readonly Changed[]): Transcript[] {
  let left = mostBytes
  return changed.flatMap(({ transcript, bytes }) => {
    if (bytes > left) return []
    left -= bytes
    return [transcript]
  })
}
