import { DreyError, exitCode } from "../errors.ts"
import { type EntrySection, entrySections } from "../formats/session/agent-memory.ts"
import { editYaml } from "../formats/session/edit-yaml.ts"
import { type AgentFile, eachAgent } from "./agent-files.ts"
import { archiveEdits, type Sources, sourcesIn, trimEdits } from "./archive-edits.ts"
import { fileBytes } from "./make-room.ts"
import { newFileText } from "./new-file-text.ts"
import type { StoredFile } from "./parse-session-file.ts"
import { type ArchivePlan, planArchive } from "./plan-archive.ts"
import type { Archiving } from "./session.ts"
import type { SessionFiles } from "./session-files.ts"

type MemoryFile = StoredFile<"memory">

/**
 * Archives old entries of every agent of a session. Call it under the session's lock; `dryRun` only returns the plan.
 */
export function archiveSession(files: SessionFiles, now: Date, options: { dryRun?: boolean } = {}): Archiving[] {
  return eachAgent(files, (place) =>
    options.dryRun ? foretell(readMemory(files, place), now) : carryOut(files, place, now),
  )
}

/** Archives one agent's file if it is too large or too old; otherwise returns undefined. */
export function archiveAgent(files: SessionFiles, place: AgentFile, now: Date): Archiving | undefined {
  const live = readMemory(files, place)
  return planFor(live, sourcesIn(live)).due === undefined ? undefined : carryOut(files, place, now)
}

const mostTries = 5

/**
 * The archive is written and verified before the file is trimmed: a process killed in between leaves entries in both
 * files, which is harmless. Readers prefer the agent's file, and the next run does not add them again.
 */
function carryOut(files: SessionFiles, place: AgentFile, now: Date): Archiving {
  for (let tries = 0; tries < mostTries; tries++) {
    const live = files.change("memory", place.path, () => []) // read as one that may be written, before anything is
    const sources = sourcesIn(live)
    const plan = planFor(live, sources)
    const edits = trimEdits(live, plan, now)
    if (edits.length === 0) return describeArchiving(live, plan, live.bytes)
    if (plan.move.length + plan.moveSpans > 0) {
      files.change(
        "memory",
        place.archivePath,
        (archive) => archiveEdits(archive, live, plan, sources, now),
        () => newArchive(files, live, now),
      )
      requireArchived(files, place, plan)
    }
    let isAsPlanned = true
    const trimmed = files.change("memory", place.path, (current) => {
      isAsPlanned = current.text === live.text // else somebody edited it meanwhile, and what they wrote is not in the archive
      return isAsPlanned ? edits : []
    })
    if (isAsPlanned) return describeArchiving(live, plan, trimmed.bytes)
  }
  throw new DreyError(`${place.path} is being changed by another process; nothing was archived`, {
    hint: "Try again later.",
    exitCode: exitCode.no,
  })
}

function readMemory(files: SessionFiles, { path }: AgentFile): MemoryFile {
  const live = files.read("memory", path)
  if (live) return live
  throw new DreyError(`${path} does not exist`)
}

function planFor({ data, bytes }: MemoryFile, sources: Sources): ArchivePlan {
  return planArchive(data, { bytes, bytesOf: (section, index) => Buffer.byteLength(sources(section, index)) })
}

function foretell(live: MemoryFile, now: Date): Archiving {
  const plan = planFor(live, sourcesIn(live))
  return describeArchiving(live, plan, Buffer.byteLength(editYaml(live.document, trimEdits(live, plan, now))))
}

function describeArchiving(live: MemoryFile, plan: ArchivePlan, bytesAfter: number): Archiving {
  const idsOf = (section: EntrySection) => plan.move.filter((moved) => moved.section === section).map(({ id }) => id)
  return {
    agent: live.data.agent,
    moved: { discoveries: idsOf("discoveries"), attempts: idsOf("attempts"), decisions: idsOf("decisions") },
    contentsDropped: plan.dropContents.length,
    bytesBefore: live.bytes,
    bytesAfter,
    stillTooLarge: bytesAfter > fileBytes.most,
  }
}

/** Begins when the memory began: none of its entries is older than the file. */
function newArchive({ id }: SessionFiles, { data: { agent, createdAt } }: MemoryFile, now: Date): string {
  return newFileText("agent-memory", id, { agent, createdAt, updatedAt: now.toISOString() })
}

function requireArchived(files: SessionFiles, place: AgentFile, plan: ArchivePlan): void {
  const archive = files.read("memory", place.archivePath)
  for (const section of entrySections) {
    const present = new Set(archive?.data[section].map(({ id }) => id))
    const missing = plan.move.find((moved) => moved.section === section && !present.has(moved.id))
    if (missing)
      throw new Error(`${place.archivePath} does not hold ${missing.id} after it was written; nothing was archived`)
  }
}
