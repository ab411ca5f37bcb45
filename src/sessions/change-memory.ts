import type { AgentMemory } from "../formats/session/agent-memory.ts"
import { instantOfMoment } from "../formats/session/instant-of-moment.ts"
import type { SessionProblem } from "../formats/session/session-problem.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import type { AgentFile } from "./agent-files.ts"
import { archiveAgent } from "./archive-session.ts"
import { followUp } from "./follow-up.ts"
import { keepMetadata } from "./keep-metadata.ts"
import { fileBytes } from "./make-room.ts"
import { newMemory } from "./new-file-text.ts"
import { describeProblem, type StoredFile } from "./parse-session-file.ts"
import { stepEdits } from "./refresh-step.ts"
import type { SessionParts } from "./session-parts.ts"

const archiveAgeMs = 4 * 3_600_000
const warningAgeMs = 2 * 3_600_000
const warningBytes = 50_000

/**
 * Changes an agent's memory, which begins with this if there is none, and all that follows from it: the step of the plan, the archive
 * when the file or the session has grown too large, the metadata. Tells the memory as it was written, before anything was archived.
 */
export function changeMemory(
  parts: SessionParts,
  file: AgentFile,
  edit: (memory: AgentMemory) => readonly YamlEdit[],
): AgentMemory {
  const { files, now } = parts
  let before: StoredFile<"memory"> | undefined
  const changed = files.change(
    "memory",
    file.path,
    (stored) => {
      before = stored
      const edits = edit(stored.data)
      if (edits.length === 0) return []
      const updatedAt = { op: "set", path: ["updatedAt"], value: now().toISOString() } as const
      return [...edits, ...stepEdits(parts, stored.data), updatedAt]
    },
    () => newMemory(files.id, file.agent, now()),
  )
  if (changed === before) return changed.data
  warnOfSize(parts, before, changed)
  warnOfProblems(parts, before, changed)
  let archived = false
  followUp(parts, () => {
    archived = isArchiveDue(changed) && archive(parts, file)
  })
  followUp(parts, () => {
    const left = files.read("memory", file.path)?.data ?? changed.data
    keepMetadata(parts, { agent: file.agent, before: before?.data, after: changed.data, left, archived })
  })
  return changed.data
}

function isArchiveDue({ bytes, data }: StoredFile<"memory">): boolean {
  return bytes > fileBytes.most || ageOf(data) > archiveAgeMs
}

function archive({ files, now, warn }: SessionParts, file: AgentFile): boolean {
  const archiving = archiveAgent(files, file, now())
  if (archiving?.stillTooLarge)
    warn(`${file.path} is ${inKilobytes(archiving.bytesAfter)} KB, and nothing more can be archived`)
  return archiving !== undefined
}

/** Once, when the file grows over it. */
function warnOfSize(
  { warn }: SessionParts,
  before: StoredFile<"memory"> | undefined,
  after: StoredFile<"memory">,
): void {
  const { path, bytes, data } = after
  if (bytes > warningBytes && (before?.bytes ?? 0) <= warningBytes && ageOf(data) < warningAgeMs)
    warn(`${path} is over ${inKilobytes(warningBytes)} KB after less than two hours; keep entries short`)
}

/** What the change brought in. References may lead into other files, so they are judged elsewhere. */
function warnOfProblems(
  { warn }: SessionParts,
  before: StoredFile<"memory"> | undefined,
  after: StoredFile<"memory">,
): void {
  const known = new Set(before?.problems.map(describeProblem))
  const isNew = (problem: SessionProblem) =>
    !["unknown-reference", "too-large"].includes(problem.code) && !known.has(describeProblem(problem))
  for (const problem of after.problems.filter(isNew)) warn(describeProblem(problem))
}

/** From the beginning of a file to its last change. */
function ageOf({ createdAt, updatedAt = createdAt }: AgentMemory): number {
  return (instantOfMoment(updatedAt) ?? 0) - (instantOfMoment(createdAt) ?? 0)
}

function inKilobytes(bytes: number): number {
  return Math.round(bytes / 1000)
}
