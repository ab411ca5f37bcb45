import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry } from "../../formats/normalize-entry.ts"
import { readEntries } from "../../formats/read-entries.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { currentText, type FileChange } from "../change.ts"
import { listEntryFiles, readRoster } from "../list-files.ts"
import { contextOf } from "../read-store.ts"
import type { MemoryContext } from "./memory-context.ts"

/**
 * Plans the rewrite, or with `undefined` the removal, of one entry in a larger file; everything around it stays byte for
 * byte. Nothing is written. Undefined if the entry does not exist.
 */
export function changeEntry(
  context: MemoryContext,
  place: { path: string; id: string },
  change: (entry: Entry) => Entry | undefined,
): FileChange | undefined {
  const { store, folder, now } = context
  const file = listEntryFiles(folder).find(({ path }) => path === place.path)
  const below = place.path.slice(folder.name.length + 1)
  const before = currentText(folder, below)
  if (!file || before === null) return undefined
  const { segments } = readEntries(before, contextOf(file, readRoster(store), now()))
  const lineEnd = dominantLineEnd(before)
  const pieces = segments.map(({ text, entry }) => {
    if (entry?.id !== place.id) return text
    const changed = change({ ...entry.entry, id: entry.id })
    if (changed === undefined) return ""
    const gap = text.slice(text.trimEnd().length)
    return `${writeEntry(normalizeEntry(changed), { lineEnd }).trimEnd()}${gap || lineEnd}`
  })
  const after = alreadyStored(pieces.join(""))
  return after === before ? undefined : { path: below, before, after }
}
