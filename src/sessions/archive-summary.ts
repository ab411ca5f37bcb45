import { isDeepStrictEqual } from "node:util"
import { sha256 } from "../disk/hash.ts"
import { DreyError, exitCode } from "../errors.ts"
import {
  type AgentMemory,
  type ArchivedSpan,
  type Attempt,
  type EntrySection,
  entrySections,
} from "../formats/session/agent-memory.ts"
import { attemptResults } from "../formats/session/session-id.ts"
import { sourceOf } from "../formats/session/yaml-editor.ts"
import type { YamlEdit } from "../formats/session/yaml-tree.ts"
import { momentOf } from "./agent-entries.ts"
import { linesOf, shorten } from "./prompt-lines.ts"
import type { ArchivePlan } from "./session-archive.ts"
import type { AgentMemoryFile } from "./session-files.ts"

/** The own words of a list's items. */
export type Sources = (section: EntrySection | "history", index: number) => string

/** Each is cut out once, to be measured and to be moved. */
export function sourcesIn({ document }: AgentMemoryFile): Sources {
  const known = new Map<string, string>()
  return (section, index) => {
    const key = `${section} ${index}`
    const source = known.get(key) ?? sourceOf(document, [section, index])
    known.set(key, source)
    return source
  }
}

/** Entries move verbatim. Those that a killed process has already moved are not added again, unless they changed since. */
export function archiveEdits(
  archive: AgentMemoryFile,
  live: AgentMemoryFile,
  plan: ArchivePlan,
  sources: Sources,
  now: Date,
): YamlEdit[] {
  const outdated: Removal[] = []
  const added: YamlEdit[] = []
  for (const section of entrySections) {
    const known = new Map(archive.data[section].map(({ id }, index) => [id, index]))
    for (const { index, id } of plan.move.filter((moved) => moved.section === section)) {
      const there = known.get(id)
      if (there !== undefined && isDeepStrictEqual(archive.data[section][there], live.data[section][index])) continue
      if (there !== undefined) {
        requireSame(archive, archive.data[section][there], live.data[section][index])
        outdated.push({ op: "remove", path: [section, there] })
      }
      added.push({ op: "appendSource", path: [section], source: sources(section, index) })
    }
  }
  for (const [index, span] of live.data.history.slice(0, plan.moveSpans).entries())
    if (!archive.data.history.some((each) => isDeepStrictEqual(each, span)))
      added.push({ op: "appendSource", path: ["history"], source: sources("history", index) })
  if (outdated.length + added.length === 0) return []
  return [...lastFirst(outdated), ...added, { op: "set", path: ["updatedAt"], value: now.toISOString() }]
}

/** An entry gives way to what became of it, not to another that was given its id. */
function requireSame({ path }: AgentMemoryFile, old: Dated | undefined, entry: Dated | undefined): void {
  if (old?.timestamp === entry?.timestamp) return
  throw new DreyError(`${path} already has a different entry with the id ${entry?.id}; nothing was moved`, {
    hint: "Change the id in the agent's file.",
    exitCode: exitCode.no,
  })
}

type Dated = { id: string; timestamp: string }

/** The changes to an agent's file once the archive has the moved entries. */
export function trimEdits(live: AgentMemoryFile, plan: ArchivePlan, now: Date): YamlEdit[] {
  const { move, moveSpans, dropContents } = plan
  const removed = [
    ...move.map(({ section, index }): Removal => ({ op: "remove", path: [section, index] })),
    ...Array.from({ length: moveSpans }, (_, index): Removal => ({ op: "remove", path: ["history", index] })),
  ]
  const edits = [...dropContents.flatMap((dropped) => markContent(live, dropped)), ...lastFirst(removed)]
  if (move.length > 0) edits.push({ op: "append", path: ["history"], value: describeSpan(live.data, move, now) })
  return edits.length === 0 ? [] : [...edits, { op: "set", path: ["updatedAt"], value: now.toISOString() }]
}

/** A content gives way to its size and hash, by which the file it was can still be recognised. */
function markContent(
  { data }: AgentMemoryFile,
  { attempt, artifact }: ArchivePlan["dropContents"][number],
): YamlEdit[] {
  const content = data.attempts[attempt]?.artifacts[artifact]?.content ?? ""
  const path = ["attempts", attempt, "artifacts", artifact]
  return [
    { op: "set", path: [...path, "content"], value: undefined },
    { op: "set", path: [...path, "contentBytes"], value: Buffer.byteLength(content) },
    { op: "set", path: [...path, "contentHash"], value: `sha256:${sha256(content)}` },
  ]
}

type Removal = { op: "remove"; path: [string, number] }

/** In an order in which no removal moves what another one means. */
function lastFirst(removals: readonly Removal[]): YamlEdit[] {
  return removals.toSorted(({ path: [, one] }, { path: [, other] }) => other - one)
}

/** What a memory's `history` records about moved entries. */
function describeSpan(memory: AgentMemory, move: ArchivePlan["move"], now: Date): ArchivedSpan {
  const leaving = new Set(move.map(({ section, id }) => `${section} ${id}`))
  const span: Span = {
    discoveries: memory.discoveries.filter(({ id }) => leaving.has(`discoveries ${id}`)),
    attempts: memory.attempts.filter(({ id }) => leaving.has(`attempts ${id}`)),
    decisions: memory.decisions.filter(({ id }) => leaving.has(`decisions ${id}`)),
  }
  const entries = [...span.discoveries, ...span.attempts, ...span.decisions]
  const times = entries
    .map(momentOf)
    .filter(Number.isFinite)
    .sort((one, other) => one - other)
  const counts = {
    discoveries: span.discoveries.length,
    attempts: span.attempts.length,
    decisions: span.decisions.length,
  }
  const [from, to] = [times[0], times.at(-1)]
  return {
    archivedAt: now.toISOString(),
    ...(from === undefined || to === undefined ? {} : { from: toText(from), to: toText(to) }),
    counts,
    summary: summarizeSpan(span),
    ids: entries.map(({ id }) => id),
  }
}

function toText(time: number): string {
  return new Date(time).toISOString()
}

/** The entries that were moved to the archive at one time. */
type Span = Pick<AgentMemory, "discoveries" | "attempts" | "decisions">

/** Their summary: how many there were, what was decided, what failed and why, and what was learned from it. */
export function summarizeSpan({ discoveries, attempts, decisions }: Span): string {
  const failed = attempts.filter(({ result }) => result === "failure")
  const lessons = attempts.flatMap((attempt) => firstLine(attempt.lessons) ?? [])
  return [
    `${quantity(discoveries.length, "discovery", "discoveries")}, ${countAttempts(attempts)}, ${quantity(decisions.length, "decision", "decisions")}`,
    ...listed(
      "Decided",
      decisions.map(({ description }) => firstLine(description) ?? "no description"),
    ),
    ...listed("Failed", failed.map(describeFailure)),
    ...listed("Lessons", [...new Set(lessons)]),
  ].join("\n")
}

const outcomes = { success: "succeeded", failure: "failed", partial: "partial", in_progress: "in progress" }

function countAttempts(attempts: readonly Attempt[]): string {
  const parts = attemptResults
    .map((result) => ({ result, count: attempts.filter((attempt) => attempt.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${outcomes[result]}`)
  const total = quantity(attempts.length, "attempt", "attempts")
  return parts.length === 0 ? total : `${total} (${parts.join(", ")})`
}

function describeFailure({ description, error, output, lessons, approach }: Attempt): string {
  const reasons = [error, output, lessons, approach].flatMap((text) => firstLine(text) ?? [])
  return `${firstLine(description) ?? "no description"}: ${reasons[0] ?? "no details"}`
}

const shown = 5
const longest = 120

/** The last ones, which are the newest, and how many came before them. */
function listed(label: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const earlier = lines.length - shown
  const items = lines.slice(-shown).map((line) => `- ${shorten(line, longest)}`)
  return [earlier > 0 ? `${label} (${earlier} earlier ones are in the archive):` : `${label}:`, ...items]
}

function firstLine(text: string | null | undefined): string | undefined {
  return linesOf(text ?? "")[0]?.replace(/^[-*] /, "")
}

function quantity(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
