import { isBlank } from "../source-text.ts"
import { parseLabels } from "./labels.ts"
import type { LegacyHeading } from "./parse-heading.ts"
import { isArchiveTitle, isFileTitle, isProfileSection, isSectionName, isSubSectionName } from "./section-names.ts"

/** Which labels stand in the lines below a heading: author, date, and what/why/decision/status. */
export type LabelsBelow = { author: boolean; date: boolean; what: boolean }

const lookAhead = 12

/** Looks for labels in the lines below a heading, not past the next heading. */
export function labelsBelow(lines: readonly string[], fenced: Uint8Array, heading: number): LabelsBelow {
  const found: LabelsBelow = { author: false, date: false, what: false }
  let atHead = true
  for (let index = heading + 1; index <= heading + lookAhead && index < lines.length; index++) {
    const line = lines[index] ?? ""
    if (fenced[index] || isBlank(line)) continue
    if (line.charCodeAt(0) === 0x23 && /^#{1,6}[ \t]/.test(line)) break
    const labels = parseLabels(line, atHead)
    if (labels.length === 0) atHead = false
    for (const { name, field, authors, date } of labels) {
      // Who owns a part of a plan signs nothing, and what was updated lately may be the whole file.
      if (authors && !/^owner$/i.test(name)) found.author = true
      else if (date && field === "date") found.date = true
      else if (field === "details" || field === "rationale" || field === "status") found.what = true
    }
  }
  return found
}

/**
 * Decides whether a heading starts an entry. Levels say little in real files, where `## Context` stands below
 * `### 2026-02-15: …`; dates, names and labels say more, and every heading that starts nothing belongs to the entry above.
 */
export function startsEntry(
  heading: LegacyHeading,
  findLabels: () => LabelsBelow,
  currentLevel: number | undefined,
): boolean {
  const deeper = currentLevel !== undefined && heading.level > currentLevel
  if (isProfileSection(heading.text) || isArchiveTitle(heading.text)) return false
  if (heading.level === 1 && isFileTitle(heading.text)) return false
  if (heading.date !== undefined) return !(deeper && heading.level >= 4)
  const labels = findLabels()
  const signed = labels.author || labels.date
  if (isSubSectionName(heading.text) && !(labels.author && labels.date)) return false
  if (isSectionName(heading.text) && !labels.author) return false
  if (heading.named) return !deeper || signed
  if (labels.author && labels.date) return true
  if (signed && labels.what) return true
  return signed && !deeper
}
