import { isDeepStrictEqual } from "node:util"
import { sha256 } from "../disk/hash.ts"
import type { AgentMemory, EntrySection } from "../formats/session/agent-memory.ts"
import { entrySections } from "../formats/session/agent-memory.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { instantOfMoment } from "../formats/timestamp.ts"
import { tokenize } from "../index/tokenizer.ts"
import { type AgentFile, findAgentFile, listAgentFiles, nameOfAgent, readMemories } from "./agent-files.ts"
import { listEntries, means, referencesOf } from "./entry-references.ts"
import { nextId } from "./recorded-entries.ts"
import { clearField } from "./session-input.ts"
import { changeMemory } from "./session-memory.ts"
import type { SessionParts } from "./session-parts.ts"
import { readPlan } from "./session-plan.ts"
import { similarityOf } from "./similar-attempts.ts"

/** What one agent tried, found out and was told, as Drey observed it in a client's transcript. */
export type ObservedWork = Record<EntrySection, ObservedEntry[]> & {
  /** Undefined: the session's first agent. */
  agent: string | undefined
  context: Record<string, unknown>
}

/** `source` names the record that it was made from, and identifies the entry when it is made again. */
export type ObservedEntry = { source: string; timestamp: string; fields: Record<string, unknown> }

/** By agent and source, a hash of each entry as it was written; also of each field of a context. */
export type WrittenHashes = Record<string, string>

export type Keeping = { written: WrittenHashes; hasEnded: boolean }

/** In all agents' files together, with the discoveries that agents noted themselves. */
const mostDiscoveries = 10

/**
 * Writes observed entries into the agents' files. What an agent or a person wrote wins: an entry that is like one of
 * theirs is not added, one that was changed since is left, one that was removed does not come back. Call it under the
 * session's lock.
 */
export function keepWorks(parts: SessionParts, works: readonly ObservedWork[], before: WrittenHashes): WrittenHashes {
  const written = { ...before }
  let room = mostDiscoveries - countOwnDiscoveries(parts)
  for (const work of works) {
    const file = findAgentFile(parts.files, nameOfAgent(work.agent))
    const discoveries = mostImportant(work.discoveries, room)
    room -= discoveries.length
    const observed = { ...work, discoveries }
    if (isEmpty(observed) && work.agent !== undefined) continue
    const place = { file, archive: parts.files.text(file.archivePath), written, grounds: groundsIn(parts) }
    const memory = changeMemory(parts, file, (memory) => editsFor(parts, memory, observed, place))
    record(written, file, memory, observed)
  }
  return written
}

/** The record after Drey itself changed the entries, as at the end of a session. */
export function recordWorks({ files }: SessionParts, before: WrittenHashes): WrittenHashes {
  const written = { ...before }
  for (const file of listAgentFiles(files)) {
    const memory = files.readValid("memory", file.path)?.data
    for (const section of entrySections)
      for (const entry of memory?.[section] ?? []) {
        const key = keyOf(file, entry.source ?? "")
        if (before[key] !== undefined) written[key] = hashOf(entry)
      }
  }
  return written
}

function isEmpty({ context, ...work }: ObservedWork): boolean {
  return entrySections.every((section) => work[section].length === 0)
}

function countOwnDiscoveries({ files }: SessionParts): number {
  const memories = listAgentFiles(files).flatMap(({ path }) => files.readValid("memory", path)?.data ?? [])
  return memories.flatMap(({ discoveries }) => discoveries.filter(({ source }) => source === undefined)).length
}

function mostImportant(discoveries: readonly ObservedEntry[], most: number): ObservedEntry[] {
  const isHigh = ({ fields }: ObservedEntry) => fields.importance === "high" || fields.importance === "critical"
  const ranked = [...discoveries.filter(isHigh), ...discoveries.filter((each) => !isHigh(each))]
  const kept = new Set(ranked.slice(0, Math.max(0, most)))
  return discoveries.filter((each) => kept.has(each))
}

/** `grounds`: the discoveries that entries of any agent refer to. */
type Place = { file: AgentFile; archive: string | undefined; written: WrittenHashes; grounds: readonly string[] }

function groundsIn({ files }: SessionParts): string[] {
  const memories = [...readMemories(files, { archived: true, unreadable: "skip" }).values()]
  const references = memories.flatMap(listEntries).flatMap(({ entry }) => referencesOf(entry))
  return references.flatMap(({ section, id }) => (section === "discoveries" ? id : []))
}

function editsFor(parts: SessionParts, memory: AgentMemory, work: ObservedWork, place: Place): YamlEdit[] {
  return [
    ...entrySections.flatMap((section) => sectionEdits(memory, section, work[section], place)),
    ...contextEdits(parts, memory, work.context, place),
  ]
}

type AgentEntry = AgentMemory[EntrySection][number]

function sectionEdits(memory: AgentMemory, section: EntrySection, observed: ObservedEntry[], place: Place): YamlEdit[] {
  const { file, archive, written } = place
  const entries: AgentEntry[] = memory[section]
  const own = entries.filter(({ source }) => source === undefined)
  const changes: YamlEdit[] = []
  const appended: AgentEntry[] = []
  for (const each of observed) {
    const index = entries.findIndex(({ source }) => source === each.source)
    const known = written[keyOf(file, each.source)]
    const found = entries[index]
    if (found) {
      if (known === hashOf(found)) changes.push(...updateEdits([section, index], found, each))
    } else if (known === undefined && !own.some((entry) => isLike(section, entry, each))) {
      const drafts = { ...memory, [section]: [...entries, ...appended] }
      const { updatedAt, ...fields } = each.fields
      const id = nextId(section, drafts, archive)
      const entry = { id, timestamp: each.timestamp, ...(updatedAt ? { updatedAt } : {}), ...withoutEmpty(fields) }
      appended.push({ ...entry, source: each.source } as AgentEntry)
    }
  }
  const removed = section === "discoveries" ? supersededBy(entries, observed, place) : []
  for (const index of removed.reverse()) changes.push({ op: "remove", path: [section, index] })
  return [...changes, ...appended.map((value): YamlEdit => ({ op: "append", path: [section], value }))]
}

/** Discoveries that gave way to better ones, unless someone changed them or refers to them. */
function supersededBy(
  entries: readonly AgentEntry[],
  observed: readonly ObservedEntry[],
  { file, written, grounds }: Place,
): number[] {
  const current = new Set(observed.map(({ source }) => source))
  return entries.flatMap((entry, index) => {
    const { source, graduatedTo } = entry
    if (source === undefined || current.has(source) || graduatedTo !== undefined) return []
    if (grounds.some((reference) => means(reference, file.agent, entry))) return []
    return written[keyOf(file, source)] === hashOf(entry) ? [index] : []
  })
}

function updateEdits(path: [EntrySection, number], found: AgentEntry, { fields }: ObservedEntry): YamlEdit[] {
  const wanted = withoutEmpty(fields)
  const kept = ["id", "timestamp", "source", "graduatedTo", "_conflict"]
  const gone = Object.keys(found).filter((key) => !(key in wanted) && !kept.includes(key) && !isNothing(found[key]))
  const dropped = gone.filter((key) => ["error", "output", "iterations", "duration_ms"].includes(key))
  return [
    ...Object.entries(wanted)
      .filter(([key, value]) => !isDeepStrictEqual(clearField(key, value), plain(found[key])))
      .map(([key, value]): YamlEdit => ({ op: "set", path: [...path, key], value })),
    ...dropped.map((key): YamlEdit => ({ op: "set", path: [...path, key], value: undefined })),
  ]
}

/** Without the fields that reading fills in. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isNothing(value)))
}

const longestOpen = 30 * 60_000

/** An agent's own note of the same thing: in much the same words, or for an attempt at the same time. */
function isLike(section: EntrySection, own: AgentEntry, observed: ObservedEntry): boolean {
  const text = (entry: Record<string, unknown>) => String(entry.description ?? entry.content ?? "")
  const words = (written: string) => new Set(tokenize(written))
  if (similarityOf(words(text(own)), words(text(observed.fields))) !== undefined) return true
  if (section !== "attempts") return false
  const [start, at] = [instantOfMoment(own.timestamp), instantOfMoment(observed.timestamp)]
  if (start === undefined || at === undefined) return false
  const end =
    own.result === "in_progress" ? start + longestOpen : (instantOfMoment(String(own.updatedAt ?? "")) ?? start)
  return at >= start && at <= end
}

function contextEdits(
  parts: SessionParts,
  memory: AgentMemory,
  context: Record<string, unknown>,
  place: Place,
): YamlEdit[] {
  const hasPlan = readPlan(parts.files) !== undefined
  return Object.entries(context).flatMap(([field, value]): YamlEdit[] => {
    if (hasPlan && (field === "currentPlanStep" || field === "planStepStatus")) return [] // set from the plan
    const current = memory.context?.[field]
    const isOurs = isNothing(current) || place.written[contextKey(place.file, field)] === hashOf(current)
    if (!isOurs || (isNothing(value) && isNothing(current))) return []
    if (isDeepStrictEqual(clearField(field, value), plain(current))) return []
    return [{ op: "set", path: ["context", field], value }]
  })
}

/** What is on disk now, of what was observed. */
function record(written: WrittenHashes, file: AgentFile, memory: AgentMemory, work: ObservedWork): void {
  const entries = entrySections.flatMap((section): AgentEntry[] => memory[section])
  for (const { source } of entrySections.flatMap((section) => work[section])) {
    const found = entries.find((entry) => entry.source === source)
    const key = keyOf(file, source)
    if (found && wasWritten(found, work)) written[key] = hashOf(found) // else someone changed it: it stays theirs
  }
  for (const field of Object.keys(work.context)) {
    const value = memory.context?.[field]
    if (isDeepStrictEqual(clearField(field, work.context[field]), plain(value)))
      written[contextKey(file, field)] = hashOf(value)
  }
}

/** Whether the entry is as it was observed. */
function wasWritten(entry: AgentEntry, work: ObservedWork): boolean {
  const observed = entrySections.flatMap((section) => work[section]).find(({ source }) => source === entry.source)
  return Object.entries(withoutEmpty(observed?.fields ?? {})).every(([key, value]) =>
    isDeepStrictEqual(clearField(key, value), plain(entry[key])),
  )
}

function keyOf({ agent }: AgentFile, source: string): string {
  return `${agent} ${source}`
}

function contextKey({ agent }: AgentFile, field: string): string {
  return `${agent} context.${field}`
}

function hashOf(value: unknown): string {
  return sha256(JSON.stringify(value) ?? "").slice(0, 16)
}
