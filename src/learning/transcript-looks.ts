import { type BigIntStats, statSync } from "node:fs"
import type { Transcript } from "../clients/client.ts"
import { codeOf } from "../disk/file-error.ts"
import type { LearningParts, Project } from "./learning-parts.ts"

export type TranscriptLooks = {
  /** The transcripts that have changed since they were last read. */
  changed(projects: readonly Project[]): Look[]
  /** Marks them as read; `foreign` are those that belong to none of the projects. */
  noteRead(looks: readonly Look[], foreign: ReadonlySet<Transcript>): void
}

export type Look = { transcript: Transcript; text: string; inode: string }

/**
 * Remembers the file state of transcripts, so that unchanged ones are not opened, and those of other projects are
 * opened once: a session stays in the project where it began.
 */
export function openTranscriptLooks({ clients, machine }: Pick<LearningParts, "clients" | "machine">): TranscriptLooks {
  const read = new Map<string, string>()
  const foreign = new Map<string, string>()
  let knownProjects = ""
  return {
    changed(projects) {
      const ids = projects.map(({ id }) => id).join("\n")
      if (ids !== knownProjects) foreign.clear() // an unassigned transcript may belong to a new project
      knownProjects = ids
      return clients
        .flatMap((client) => client.find(machine))
        .flatMap(lookAt)
        .filter(({ transcript, text, inode }) => {
          const key = keyOf(transcript)
          return read.get(key) !== text && foreign.get(key) !== inode
        })
    },
    noteRead(looks, others) {
      for (const { transcript, text, inode } of looks) {
        if (others.has(transcript)) foreign.set(keyOf(transcript), inode)
        else read.set(keyOf(transcript), text)
      }
    },
  }
}

function lookAt(transcript: Transcript): Look[] {
  let file: BigIntStats | undefined
  try {
    file = statSync(transcript.path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    return [{ transcript, text: codeOf(error) ?? "", inode: "" }] // it is read once, which reports the error
  }
  if (!file) return []
  return [{ transcript, text: `${describe(file)} ${describeLog(transcript)}`, inode: String(file.ino) }]
}

/** The newest rows of a SQLite database are in its WAL file. */
function describeLog({ path, session }: Transcript): string {
  if (session === undefined) return ""
  const log = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false })
  return log ? describe(log) : ""
}

function describe({ size, mtimeNs, ino }: BigIntStats): string {
  return `${size} ${mtimeNs} ${ino}`
}

function keyOf({ client, path, session }: Transcript): string {
  return [client, path, session ?? ""].join("\0")
}
