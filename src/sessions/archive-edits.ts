import { isDeepStrictEqual } from "node:util"
import { sha256 } from "../disk/sha256.ts"
import { DreyError, exitCode } from "../errors.ts"
import { type EntrySection, entrySections } from "../formats/session/agent-memory.ts"
import { sourceOf } from "../formats/session/edit-yaml.ts"
import type { YamlEdit } from "../formats/session/yaml-document.ts"
import { describeSpan } from "./describe-span.ts"
import type { StoredFile } from "./parse-session-file.ts"
import type { ArchivePlan } from "./plan-archive.ts"

type MemoryFile = StoredFile<"memory">

/** The own words of a list's items. */
export type Sources = (section: EntrySection | "history", index: number) => string

/** Each is cut out once, to be measured and to be moved. */
export function sourcesIn({ document }: MemoryFile): Sources {
  const known = new Map<string, string>()
  return (section, index) => {
    const key = `${section} ${index}`
    const source = known.get(key) ?? sourceOf(document, [section, index])
    known.set(key, source)
    return source
  }
}

/** Entries move in their own words. What a killed process brought there already is not added again, but for what changed since. */
export function archiveEdits(
  archive: MemoryFile,
  live: MemoryFile,
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
function requireSame({ path }: MemoryFile, old: Dated | undefined, entry: Dated | undefined): void {
  if (old?.timestamp === entry?.timestamp) return
  throw new DreyError(`${path} already has a different entry with the id ${entry?.id}; nothing was moved`, {
    hint: "Change the id in the agent's file.",
    exitCode: exitCode.no,
  })
}

type Dated = { id: string; timestamp: string }

/** What happens to an agent's file when its archive holds what leaves it. */
export function trimEdits(live: MemoryFile, plan: ArchivePlan, now: Date): YamlEdit[] {
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
function markContent({ data }: MemoryFile, { attempt, artifact }: ArchivePlan["dropContents"][number]): YamlEdit[] {
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
