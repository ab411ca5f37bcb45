import type { ReadEntry } from "../../formats/entries.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { removeInvisible } from "../../formats/text.ts"
import { dateOf, instantOf } from "../../formats/timestamp.ts"
import { findSensitive, scrubText } from "../../governance/redaction.ts"
import type { Memory } from "../memory.ts"
import { judgeItems } from "../staleness/item-verdicts.ts"
import type { JudgedName } from "../staleness/name-verdict.ts"
import { areCompared, type EmbedTexts, findDuplicates } from "./duplicates.ts"
import { type JunkKind, judgeJunk } from "./junk.ts"

/** The place of a finding and the beginning of its memory, with secrets masked. */
export type RecordPlace = { path: string; line: number; id?: string; excerpt: string }

export type StoreReport = {
  path: string
  format: StoreFormat
  parts: string[]
  memories: number
  /**
   * Memories without findings. Every other one counts once, by the first category that applies; the lists below are
   * complete.
   */
  clean: number
  counts: { secrets: number; junk: number; duplicates: number; stale: number }
  secrets: (RecordPlace & { rule: string; kind: string })[]
  junk: (RecordPlace & { kind: JunkKind })[]
  /** False if there are too many: then only identical texts are found, not paraphrases. */
  comparedByMeaning: boolean
  duplicates: (RecordPlace & { kind: "exact" | "near"; of: RecordPlace })[]
  stale: (RecordPlace & { kind: Stale["kind"]; what: string })[]
  /** The repository that names were checked against; undefined without one. */
  repository: string | undefined
  /** Files and commands that this repository never had; not an error by itself. */
  unknown: (RecordPlace & { what: string })[]
  broken: BrokenRecord[]
}

export type ReportOptions = { root: string | undefined; now: number; oldAfterDays: number; embed: EmbedTexts }

/** Reports the quality of a store: junk, duplicates, stale memories, and secrets. Read-only. */
export async function reportOnStore(store: ReadStore, options: ReportOptions): Promise<StoreReport> {
  const { memories } = store
  const place = (at: number) => placeOf(memories[at] as StoredMemory)
  const secrets = memories.flatMap(({ text }, at) =>
    findSensitive(text)
      .filter(({ kind }) => kind !== "other")
      .map(({ rule, kind }) => ({ at, rule, kind })),
  )
  const junk = memories.flatMap(({ text }, at) => {
    const kind = judgeJunk(text)
    return kind === undefined ? [] : [{ at, kind }]
  })
  const isJunk = new Set(junk.map(({ at }) => at))
  const duplicates = findDuplicates(
    memories.map(({ text }, at) => (isJunk.has(at) ? "" : text)),
    options.embed,
  )
  const { stale, unknown } = await findStale(memories, options)
  const found = { secrets, junk, duplicates, stale }
  return {
    path: store.path,
    format: store.format,
    parts: store.parts,
    memories: memories.length,
    ...countOnce(memories.length, found),
    repository: options.root,
    secrets: secrets.map(({ at, ...rest }) => ({ ...place(at), ...rest })),
    junk: junk.map(({ at, ...rest }) => ({ ...place(at), ...rest })),
    comparedByMeaning: areCompared(memories),
    duplicates: duplicates.map(({ at, of, kind }) => ({ ...place(at), kind, of: place(of) })),
    stale: stale.map(({ at, kind, what }) => ({ ...place(at), kind, what: shown(what) })),
    unknown: unknown.map(({ at, what }) => ({ ...place(at), what: shown(what) })),
    broken: store.broken,
  }
}

type Found = Record<keyof StoreReport["counts"], readonly { at: number }[]>

function countOnce(total: number, found: Found): Pick<StoreReport, "clean" | "counts"> {
  const counted = new Set<number>()
  const count = (list: readonly { at: number }[]) => {
    const before = counted.size
    for (const { at } of list) counted.add(at)
    return counted.size - before
  }
  const counts = {
    secrets: count(found.secrets),
    junk: count(found.junk),
    duplicates: count(found.duplicates),
    stale: count(found.stale),
  }
  return { clean: total - counted.size, counts }
}

const longest = 72

function placeOf({ path, line, id, text }: StoredMemory): RecordPlace {
  const first = shown(text).replace(/\s+/g, " ").trim()
  const excerpt = first.length > longest ? `${first.slice(0, longest - 1).trimEnd()}…` : first
  return { path, line, ...(id === undefined ? {} : { id: shown(id) }), excerpt }
}

function shown(text: string): string {
  return scrubText(removeInvisible(text.slice(0, 2000)))
}

/** The storage format of a memory tool. */
export const storeFormats = ["mem0", "server-memory", "markdown", "entries", "learned"] as const
type StoreFormat = (typeof storeFormats)[number]

/** One memory of a store; `at` is its last change in milliseconds, if known. */
export type StoredMemory = { path: string; line: number; id?: string; text: string; at: number | undefined }

/** An unreadable record. The reason never quotes it. */
export type BrokenRecord = { path: string; line: number; reason: string }

/** The store at one place. `parts` describes its composition, `broken` its unreadable records. */
export type ReadStore = {
  path: string
  format: StoreFormat
  memories: StoredMemory[]
  parts: string[]
  broken: BrokenRecord[]
}

/**
 * Why a memory may be outdated: it names something moved or gone, its date has passed, or it has not been changed for
 * long.
 */
type Stale = { at: number; kind: "gone" | "moved" | "past" | "old"; what: string }

/** `unknown`: names that this repository never had; they may belong to another one. */
export type StaleScan = { stale: Stale[]; unknown: { at: number; what: string }[] }

const day = 86_400_000

/**
 * Checks each memory's names, dates and age. Names are checked against the repository at `root`; without one they are
 * not checked.
 */
async function findStale(
  memories: readonly StoredMemory[],
  { root, now, oldAfterDays }: { root: string | undefined; now: number; oldAfterDays: number },
): Promise<StaleScan> {
  const texts = memories.map(({ text, at }, index) => ({ id: String(index), text, at }))
  const judged = root === undefined ? [] : await judgeItems(root, texts)
  const stale: Stale[] = []
  const unknown: StaleScan["unknown"] = []
  for (const [at, memory] of memories.entries()) {
    const names = judged[at]?.names ?? []
    stale.push(...names.flatMap((name) => staleName(name, at)))
    unknown.push(...names.filter(isUnknown).map(({ text }) => ({ at, what: text })))
    const past = findPastDay(memory.text, now)
    if (past !== undefined) stale.push({ at, kind: "past", what: `mentions ${past}` })
    if (memory.at !== undefined && now - memory.at > oldAfterDays * day)
      stale.push({ at, kind: "old", what: `written ${new Date(memory.at).toISOString().slice(0, 10)}` })
  }
  return { stale, unknown }
}

function staleName({ text, verdict }: JudgedName, at: number): Stale[] {
  if (verdict.state === "moved") return [{ at, kind: "moved", what: `${text} is now ${verdict.to}` }]
  if (verdict.state !== "gone") return []
  const since = "day" in verdict && verdict.day !== undefined ? ` since ${verdict.day}` : ""
  return [{ at, kind: "gone", what: `${text} is gone${since}` }]
}

/** Files and commands only: an unknown symbol usually belongs to a library. */
function isUnknown({ kind, verdict }: JudgedName): boolean {
  return kind !== "symbol" && verdict.state === "unverifiable" && /never had it|nothing defines it/.test(verdict.reason)
}

const months = "january february march april may june july august september october november december".split(" ")
const month = months.map((name) => `${name}|${name.slice(0, 3)}`).join("|")
const ending =
  "(?:until|till|by|before|due|deadline(?: is)?|expires?|expiring|scheduled for|planned for|target(?:ing|ed)?(?: for)?|launch(?:es|ing)?|ships?|ends?|ending|freeze|migrating)"
const dated = new RegExp(
  `\\b${ending}\\b[^.;\\n]{0,30}?\\b(?:(\\d{4})-(\\d{2})-(\\d{2})|(?:(${month})\\.? (?:(\\d{1,2})(?:st|nd|rd|th)?,? )?(\\d{4}))|Q([1-4]) (\\d{4}))`,
  "i",
)

/** The date until which a text applies or plans something, if that date has passed. */
export function findPastDay(text: string, now: number): string | undefined {
  const match = dated.exec(text)
  const last = match && lastMomentOf(match)
  return last !== undefined && last !== null && last < now ? new Date(last).toISOString().slice(0, 10) : undefined
}

/** The end of the named day, month or quarter. */
function lastMomentOf([
  ,
  year,
  monthNumber,
  day,
  name,
  dayOfMonth,
  yearOfName,
  quarter,
  yearOfQuarter,
]: RegExpExecArray): number {
  if (quarter !== undefined) return Date.UTC(Number(yearOfQuarter), Number(quarter) * 3, 1) - 1
  if (name === undefined) return Date.UTC(Number(year), Number(monthNumber) - 1, Number(day) + 1) - 1
  const at = months.findIndex((each) => each.startsWith(name.toLowerCase().slice(0, 3)))
  return dayOfMonth === undefined
    ? Date.UTC(Number(yearOfName), at + 1, 1) - 1
    : Date.UTC(Number(yearOfName), at, Number(dayOfMonth) + 1) - 1
}

/** The team's active entries as a store to report on, without archives. */
export function entriesAsStore(
  entries: readonly (ReadEntry & { path: string; source: string; supersededBy: string[] })[],
): ReadStore {
  const holding = entries.filter(({ supersededBy, source }) => supersededBy.length === 0 && source !== "archive")
  const memories = holding.map(({ id, entry, path, line }) => ({
    path,
    line,
    id,
    text: [...new Set([entry.title, entry.summary, entry.details ?? "", entry.rationale ?? ""])]
      .filter(Boolean)
      .join("\n"),
    at: dateOf(entry.timestamp) === undated ? undefined : instantOf(entry.timestamp),
  }))
  return { path: "the team's entries", format: "entries", memories, parts: [], broken: [] }
}

/** Learned memories that are handed out. */
export function memoriesAsStore(learned: readonly Memory[]): ReadStore {
  const memories = learned.map(({ id, text, updated }) => ({ path: id, line: 0, id, text, at: Date.parse(updated) }))
  return { path: "learned memory", format: "learned", memories, parts: [], broken: [] }
}
