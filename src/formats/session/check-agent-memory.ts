import { type AgentMemory, entrySections } from "./agent-memory.ts"
import { checkIds } from "./check-ids.ts"
import { checkMoments } from "./check-moments.ts"
import { instantOfMoment } from "./instant-of-moment.ts"
import { quoted, type UnplacedProblem, warning } from "./unplaced-problem.ts"

const hour = 3_600_000
const short = { hours: 2, kilobytes: 50 }
const mostKilobytes = 100

/** What can be said of a memory only as a whole; its entries have been looked at one by one. */
export function checkAgentMemory(memory: AgentMemory, known: ReadonlySet<string>): UnplacedProblem[] {
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
export function checkSize(memory: AgentMemory, text: string): UnplacedProblem[] {
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
