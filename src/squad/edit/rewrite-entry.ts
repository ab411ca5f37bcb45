import { isDeepStrictEqual } from "node:util"
import type { Entry } from "../../formats/entry.ts"
import { bodyHash } from "../../formats/entry-id.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { type ReadEntry, readEntries } from "../../formats/read-entries.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { keepByteOrderMark } from "../draft.ts"
import { pathBelow } from "../memory/memory-index.ts"
import { pinned } from "../merge/read-inbox.ts"
import { contextOf } from "../read-store.ts"
import type { Work } from "../tidy/work.ts"
import type { FoundEntry } from "./find-entry.ts"
import { respellEntry } from "./respell-entry.ts"

/**
 * Plans the file with a rewritten entry; its id and every byte around it stay. The result is parsed again first: returns
 * false if the entry or its neighbours would parse differently.
 */
export function rewriteEntry(work: Work, found: FoundEntry, entry: Entry, options: { squadUi: boolean }): boolean {
  const { own, file, id } = found
  const segment = file.read.segments[found.position]?.text ?? ""
  const text = segment.trimEnd()
  const lineEnd = dominantLineEnd(file.content.text)
  const gap = segment.slice(text.length) || lineEnd
  const changed = pinned(entry, id)
  const normal = pinned(normalizeEntry(changed), id)
  const canonical = { entry: normal, text: writeEntry(normal, { lineEnd, ...options }).trimEnd() }
  const respelled = { entry: changed, text: respellEntry(text, own.entry, changed, lineEnd) }
  for (const form of own.format === "sem" ? [respelled, canonical] : [canonical]) {
    const file = withSegment(work, found, form.text + gap)
    if (file?.entry?.id !== id || !isDeepStrictEqual(file.entry.entry, form.entry)) continue
    work.draft.put(pathBelow(found.file), file.text)
    return true
  }
  return false
}

/** Plans the file without the entry, unless other entries would change. An inbox file that becomes empty is removed. */
export function removeEntry(work: Work, found: FoundEntry): boolean {
  const file = withSegment(work, found, undefined)
  if (!file) return false
  const isOver = found.file.source === "inbox" && file.text.trim() === ""
  work.draft.put(pathBelow(found.file), isOver ? null : file.text)
  return true
}

/** The file with the entry's text replaced, and the new entry; undefined if other entries would change. */
function withSegment({ roster, now }: Work, { file, position }: FoundEntry, segment: string | undefined) {
  const { segments, entries } = file.read
  const text = segments.map((each, index) => (index === position ? (segment ?? "") : each.text)).join("")
  const after = readEntries(text, contextOf(file, roster, now)).entries
  const own = segments[position]?.entry
  const at = own ? entries.indexOf(own) : -1
  const old = without(entries, at)
  const young = segment === undefined ? after : without(after, at)
  if (old.length !== young.length || !old.every((entry, index) => isSame(entry, young[index]))) return undefined
  return { text: keepByteOrderMark(file.content.text, text), entry: segment === undefined ? undefined : after[at] }
}

function without(entries: readonly ReadEntry[], position: number): ReadEntry[] {
  return entries.filter((_, index) => index !== position)
}

function isSame(one: ReadEntry, other: ReadEntry | undefined): boolean {
  return one.id === other?.id && bodyHash(one.entry) === bodyHash(other.entry)
}
