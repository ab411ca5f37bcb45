import { instantOfMoment } from "../timestamp.ts"
import {
  type AgentMemory,
  type Attempt,
  type AttemptResult,
  agentMemorySchema,
  anyList,
  attemptSchema,
  type Discovery,
  decisionSchema,
  discoverySchema,
  entrySections,
  historySchema,
  type SessionDecision,
} from "./agent-memory.ts"
import { checkIds, checkMoments, partReader, readSessionFile, type SessionFileReading } from "./session-file.ts"
import { artifactActions, decisionTypes, discoveryTypes } from "./session-id.ts"
import { quoted, type UnplacedProblem, warning } from "./session-problem.ts"
import type { YamlPath } from "./yaml-tree.ts"

const summaryLimit = 160
const artifactBytes = 2 * 1024

function checkDiscovery(discovery: Discovery): UnplacedProblem[] {
  const length = [...(discovery.summary ?? "")].length
  const message = `The summary has ${length} characters: write at most ${summaryLimit}, put the rest in the content.`
  return [
    ...checkMoments(discovery, ["timestamp"]),
    ...checkKnown(discovery.type, discoveryTypes, ["type"]),
    ...(length > summaryLimit ? [warning("too-long", ["summary"], message)] : []),
  ]
}

function checkDecision(decision: SessionDecision): UnplacedProblem[] {
  return [...checkMoments(decision, ["timestamp"]), ...checkKnown(decision.type, decisionTypes, ["type"])]
}

function checkAttempt(attempt: Attempt): UnplacedProblem[] {
  return [
    ...checkMoments(attempt, ["timestamp", "updatedAt"]),
    ...checkResult(attempt),
    ...attempt.artifacts.flatMap((artifact, index) => checkArtifact(artifact, ["artifacts", index])),
  ]
}

function checkArtifact({ action, content }: Attempt["artifacts"][number], path: YamlPath): UnplacedProblem[] {
  const bytes = content === undefined ? 0 : new TextEncoder().encode(content).length
  const message = `The content has ${bytes} bytes: keep at most ${artifactBytes}, the file itself contains the rest.`
  return [
    ...(action === undefined ? [] : checkKnown(action, artifactActions, [...path, "action"])),
    ...(bytes > artifactBytes ? [warning("too-long", [...path, "content"], message)] : []),
  ]
}

function checkKnown(value: string, known: readonly string[], path: YamlPath): UnplacedProblem[] {
  if (known.includes(value)) return []
  const message = `${quoted(value)} is not one of the known values; it was kept. Known: ${known.join(", ")}.`
  return [warning("unknown-value", path, message)]
}

/** A `status` or `progress` that cannot be true beside the result. The result counts; these are for people. */
function checkResult({ result, status = "", progress }: Attempt): UnplacedProblem[] {
  const fitting = resultsFor.get(
    status
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]/g, " "),
  )
  const percent = Number(/^\s{0,9}(\d{1,3})\s{0,9}%?\s{0,9}$/.exec(String(progress))?.[1] ?? Number.NaN)
  const isOff =
    percent === 100 ? result === "in_progress" || result === "partial" : percent < 100 && result === "success"
  return [
    ...(fitting && !fitting.includes(result) ? [contradiction("status", status, result)] : []),
    ...(isOff ? [contradiction("progress", String(progress), result)] : []),
  ]
}

/** Words for a status, with the results that they fit. */
const resultsFor = new Map<string, readonly AttemptResult[]>([
  ["pending", ["in_progress", "partial"]],
  ["started", ["in_progress", "partial"]],
  ["working", ["in_progress", "partial"]],
  ["running", ["in_progress", "partial"]],
  ["in progress", ["in_progress", "partial"]],
  ["done", ["success", "failure", "partial"]],
  ["finished", ["success", "failure", "partial"]],
  ["complete", ["success", "failure", "partial"]],
  ["completed", ["success", "failure", "partial"]],
  ["success", ["success"]],
  ["succeeded", ["success"]],
  ["passed", ["success"]],
  ["failure", ["failure", "partial"]],
  ["failed", ["failure", "partial"]],
])

function contradiction(field: string, value: string, result: AttemptResult): UnplacedProblem {
  const message = `${quoted(value)} contradicts the result, ${result}, which takes precedence: correct one of the two, or remove ${field}.`
  return warning("contradiction", [field], message)
}

export type AgentMemoryReading =
  | (Omit<Extract<SessionFileReading<AgentMemory>, { kind: "read" }>, "data"> & { memory: AgentMemory })
  | Exclude<SessionFileReading<AgentMemory>, { kind: "read" }>

export type ExpectedMemory = {
  /** The name of the folder that contains the file. */
  sessionId?: string
  /** Ids of other files that entries may refer to: those in the archive. */
  known?: ReadonlySet<string>
  /** An archive may be of any size. */
  archive?: boolean
}

const shape = {
  head: agentMemorySchema.extend({ discoveries: anyList, attempts: anyList, decisions: anyList, history: anyList }),
  lists: {
    discoveries: partReader(discoverySchema, checkDiscovery),
    attempts: partReader(attemptSchema, checkAttempt),
    decisions: partReader(decisionSchema, checkDecision),
    history: partReader(historySchema, (span) => checkMoments(span, ["archivedAt", "from", "to"])),
  },
}

/** Reads one agent's memory of a session. Its entries are frozen: they are shared with other readings of the same text. */
export function readAgentMemory(text: string, expected: ExpectedMemory = {}): AgentMemoryReading {
  const known = expected.known ?? new Set()
  const check = (memory: AgentMemory) => [
    ...checkAgentMemory(memory, known),
    ...(expected.archive ? [] : checkSize(memory, text)),
  ]
  const reading = readSessionFile<AgentMemory>({ ...shape, check }, text, expected)
  if (reading.kind !== "read") return reading
  const { data: memory, ...rest } = reading
  return { ...rest, memory }
}

const hour = 3_600_000
const short = { hours: 2, kilobytes: 50 }
const mostKilobytes = 100

/** Checks of a memory as a whole; its entries have been checked one by one. */
function checkAgentMemory(memory: AgentMemory, known: ReadonlySet<string>): UnplacedProblem[] {
  return [
    ...checkMoments(memory, ["createdAt", "updatedAt"]),
    ...entrySections.flatMap((section) => checkIds(section, memory[section])),
    ...checkReferences(memory, known),
    ...checkAges(memory),
  ]
}

/** References may lead to the archive: by the ids that the caller knows of, and by those that the history names. */
function checkReferences(memory: AgentMemory, known: ReadonlySet<string>): UnplacedProblem[] {
  const archived = new Set([...known, ...memory.history.flatMap(({ ids }) => ids)])
  const discoveries = new Set(memory.discoveries.map(({ id }) => id))
  const attempts = new Set(memory.attempts.map(({ id }) => id))
  return memory.decisions.flatMap(({ relatedDiscoveries, relatedAttempts }, index) => {
    const unknown = (key: string, kind: string, references: readonly string[], ids: ReadonlySet<string>) =>
      references.flatMap((id, place) => {
        const own = id.startsWith(`${memory.agent}/`) ? id.slice(memory.agent.length + 1) : id
        if (ids.has(own) || archived.has(id) || archived.has(own)) return []
        const message = `There is no ${kind} ${quoted(id)}: correct the id, or remove it.`
        return warning("unknown-reference", ["decisions", index, key, place], message)
      })
    return [
      ...unknown("relatedDiscoveries", "discovery", relatedDiscoveries, discoveries),
      ...unknown("relatedAttempts", "attempt", relatedAttempts, attempts),
    ]
  })
}

function checkAges(memory: AgentMemory): UnplacedProblem[] {
  const created = instantOfMoment(memory.createdAt)
  if (created === undefined) return []
  return entrySections.flatMap((section) =>
    memory[section].flatMap((entry, index) => {
      const instant = startOf(entry)
      if (instant === undefined || instant >= created) return []
      const message = `This is older than the file, which begins at ${memory.createdAt}: correct one of the two times.`
      return warning("older-than-file", [section, index, "timestamp"], message)
    }),
  )
}

/** Warns of a file that is large for its session, or too large for any. "Now" is the newest entry, so that the answer stays the same. */
function checkSize(memory: AgentMemory, text: string): UnplacedProblem[] {
  const kilobytes = new TextEncoder().encode(text).length / 1000
  if (kilobytes > mostKilobytes) {
    const message = `The file is ${Math.ceil(kilobytes)} KB, more than ${mostKilobytes} KB: move old entries to the archive with "drey session archive".`
    return [warning("too-large", [], message)]
  }
  if (kilobytes <= short.kilobytes || hoursOf(memory) >= short.hours) return []
  const message = `The file is ${Math.ceil(kilobytes)} KB, which is large for a session of less than ${short.hours} hours: keep entries short, and leave long output in its own file.`
  return [warning("too-large", [], message)]
}

function hoursOf(memory: AgentMemory): number {
  const start = instantOfMoment(memory.createdAt)
  if (start === undefined) return 0
  const times = entrySections.flatMap((section) => memory[section].map((entry) => startOf(entry) ?? start))
  return (times.reduce((newest, time) => Math.max(newest, time), start) - start) / hour
}

const starts = new WeakMap<object, number | undefined>()

/** Looked up once for each entry, which stays the same object over all readings of its file. */
function startOf(entry: { timestamp: string }): number | undefined {
  if (!starts.has(entry)) starts.set(entry, instantOfMoment(entry.timestamp))
  return starts.get(entry)
}
