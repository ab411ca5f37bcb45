import { undated } from "../../formats/legacy/fallbacks.ts"
import { missingLines } from "../../formats/legacy/missing-lines.ts"
import { splitLines } from "../../formats/source-text.ts"
import { dateOf } from "../../formats/timestamp.ts"
import { writeEntry } from "../../formats/write-entry.ts"
import { defaultLoadGuidance } from "../../governance/classify.ts"
import type { EditAction } from "./editor.ts"
import type { EntryDesk, Found, FoundEntry } from "./find-entry.ts"

/** Which actions are allowed on an entry; a string is the reason why not. */
export function whatCanBeDone(desk: EntryDesk, found: Found): Record<EditAction, true | string> {
  if (found.kind === "governed") {
    const isAlways = defaultLoadGuidance(found.memory.class) === "ALWAYS"
    const isReplaced = found.memory.supersededBy !== undefined
    return {
      edit: true,
      supersede: isReplaced ? `it was replaced by ${found.memory.supersededBy}` : true,
      pin: isAlways ? "all memories of its class are always loaded" : true,
      forget: true,
    }
  }
  const general = whyLeftAlone(desk, found)
  if (general !== undefined) return { edit: general, supersede: general, pin: general, forget: general }
  const form = whyNotRewritten(found) ?? true
  return { edit: form, supersede: whyNotReplaced(found) ?? true, pin: form, forget: true }
}

function whyLeftAlone({ context }: EntryDesk, { file, own }: FoundEntry): string | undefined {
  if (file.folder.name !== context.folder.name)
    return `${file.folder.name} is read-only, because ${context.folder.name} exists`
  if (own.source === "archive") return "archived entries cannot be changed"
  const conflict = file.read.diagnostics.find(({ code }) => code === "conflict-marker")
  return conflict && `line ${conflict.line} of ${file.path} has an unresolved merge conflict`
}

function whyNotReplaced({ own, replacedBy }: FoundEntry): string | undefined {
  if (own.source === "inbox") return "it is only a proposal: accept, reject or edit it"
  return replacedBy && `it was replaced by ${replacedBy}`
}

/** Editing a legacy entry converts it to SEM, so the same conditions apply. */
function whyNotRewritten({ own, file, position }: FoundEntry): string | undefined {
  if (own.format === "sem") return undefined
  if (dateOf(own.entry.timestamp) === undated) return `it has no date; add one at ${file.path}:${own.line} first`
  const { lines } = splitLines(file.read.segments[position]?.text ?? "")
  const [lost] = missingLines(lines, writeEntry(own.entry))
  return lost && `line ${own.line + lost.index} of ${file.path} would be lost; edit the file by hand`
}
