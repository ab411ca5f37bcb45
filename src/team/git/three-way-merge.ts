import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { writeFileAtomic } from "../../disk/atomic-write.ts"
import { runGitOutside } from "../../disk/git.ts"
import { makeTemporaryFolder, removeTemporaryFolder, writeInHome } from "../../disk/home-files.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { type ReadContext, readEntries } from "../../formats/entries.ts"
import { findFences } from "../../formats/markdown.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { readRoster } from "../team-files.ts"
import { findStore, type TeamStore } from "../team-folder.ts"
import { mergeAudit, mergeIndex } from "./merge-records.ts"

/** The three versions that git passes to a merge driver, and the path of the merged file in the repository. */
export type MergeRequest = { ancestor: string; ours: string; theirs: string; path: string }

/** Merges one file of a team folder for git; the result replaces `ours`, which is unchanged if the merge fails. */
export function mergeForGit(request: MergeRequest, store: TeamStore): void {
  try {
    const [base, ours, theirs] = [request.ancestor, request.ours, request.theirs].map((path) => readTextFile(path).text)
    const texts = { base, ours, theirs } as ThreeTexts
    writeFileAtomic(request.ours, alreadyStored(mergeTexts(texts, request.path, store)))
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    // git only needs to know that the file was not merged.
    const hint = error.hint === undefined ? {} : { hint: error.hint }
    throw new DreyError(`${request.path} was not merged: ${error.message}`, {
      ...hint,
      cause: error,
      exitCode: exitCode.no,
    })
  }
}

function mergeTexts(texts: ThreeTexts, path: string, store: TeamStore): string {
  const name = basename(path)
  if (name === "index.json") return mergeIndex(texts)
  if (/^audit.*\.jsonl$/.test(name)) return mergeAudit(texts)
  if (/\.md$/i.test(name)) return mergeEntries(texts, contextOfPath(path, store))
  throw new DreyError(`Drey does not merge ${path}`, {
    hint: "Drey merges decisions, histories, archives, memory/index.json and memory/audit.jsonl.",
  })
}

function contextOfPath(path: string, { root, home }: TeamStore): ReadContext {
  const fileName = basename(path)
  const folder = join(root, dirname(path))
  const roster = readRoster(findStore(existsSync(folder) ? folder : root, home))
  if (/^history.*\.md$/i.test(fileName)) return { kind: "history", fileName, agent: basename(dirname(path)), roster }
  if (path.includes("decisions/inbox/")) return { kind: "inbox", fileName, roster }
  return { kind: /archive/i.test(path) ? "archive" : "decisions", fileName, roster }
}

type ThreeTexts = { base: string; ours: string; theirs: string }

/**
 * Merges two versions of a file of entries. Entries are matched by id, so both sides may add, edit, delete and reorder
 * freely; an entry that both sides changed is kept in both versions, with a comment that `validate` reports.
 */
export function mergeEntries(texts: ThreeTexts, context: ReadContext): string {
  const lineEnd = dominantLineEnd(texts.ours || texts.theirs)
  const titles = new Set(Object.values(texts).map((text) => firstLine(withoutMark(text))))
  const base = readUnits(texts.base, context, titles)
  const ours = readUnits(texts.ours, context, titles)
  const theirs = readUnits(withLineEnd(texts.theirs, lineEnd), context, titles)
  // The side that reordered entries decides the order.
  const oursLeads = !keepsOrder(base, ours) || keepsOrder(base, theirs)
  const [lead, other] = oursLeads ? [ours, theirs] : [theirs, ours]
  const merged = new Map<string, Unit>()
  for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
    const unit = mergeUnit(base.get(key), ours.get(key), theirs.get(key), lineEnd)
    if (unit) merged.set(key, unit)
  }
  const order = uniteOrder(base, lead, other, merged)
  const text = writeUnits(
    order.map((key) => merged.get(key) as Unit),
    lineEnd,
  )
  requireEveryEntry(text, merged, context)
  return texts.ours.startsWith(byteOrderMark) ? byteOrderMark + text : text
}

/** The comment before the second version of an entry that both sides changed; the reader reports it as `merge-conflict-kept`. */
export function conflictComment(id: string): string {
  return `<!-- drey: conflict ${id} -->`
}

/**
 * A part of a file that is merged as a whole; `gap` is the blank lines and `---` after it, `says` its text with normalized
 * line ends, for comparison.
 */
type Unit = {
  key: string
  kind: "sem" | "legacy" | "bullet" | "other"
  text: string
  says: string
  gap: string
  next: string
  /** The versions of an entry that both sides changed. */
  versions: string[]
}
type Units = ReadonlyMap<string, Unit>

const byteOrderMark = "\uFEFF"

/** `titles` are the first lines of all versions: they identify the top of the file even if one side put entries above it. */
function readUnits(file: string, context: ReadContext, titles: ReadonlySet<string> = new Set()): Units {
  const units = new Map<string, Unit>()
  let last: Unit | undefined
  const pieces = readEntries(withoutMark(file), context).segments.flatMap(({ text, entry }) =>
    (entry ? [text] : splitSections(text)).map((piece) => ({ piece, entry })),
  )
  for (const { piece, entry } of pieces) {
    const { text, gap } = splitGap(piece)
    if (text === "" && (last || gap === "")) {
      if (last) last.gap += gap
      continue
    }
    const kind = !entry ? "other" : entry.format === "sem" ? "sem" : entry.unit === "entry" ? "legacy" : "bullet"
    const key = freeKey(units, entry?.id ?? nameOfText(text, last === undefined || titles.has(firstLine(text))))
    if (last) last.next = key
    const says = text.replace(/\r+$/gm, "")
    last = { key, kind, text, says, gap, next: "", versions: [says] }
    units.set(key, last)
  }
  return units
}

function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/** Converts a side with consistently different line ends; single stray line ends are unchanged. */
function withLineEnd(text: string, lineEnd: "\n" | "\r\n"): string {
  return dominantLineEnd(text) === lineEnd ? text : text.replace(/\r*\n/g, lineEnd)
}

function splitGap(piece: string): { text: string; gap: string } {
  const lines = piece.split("\n")
  let end = lines.length
  while (end > 0 && /^[ \t\r]*$|^---[ \t\r]*$/.test(lines[end - 1] ?? "")) end--
  const text = lines.slice(0, end).join("\n").replace(/\r+$/, "")
  return { text, gap: piece.slice(text.length) }
}

/**
 * Splits text between entries at its headings. A file without entries is one such text and a file with an entry in the middle has
 * two, so only sections can be matched between versions; whole texts would be merged twice.
 */
function splitSections(text: string): string[] {
  const lines = text.split(/(?<=\n)/)
  const { fenced } = findFences(lines.map((line) => line.trimEnd()))
  const sections: string[] = []
  for (const [index, line] of lines.entries()) {
    if (sections.length === 0 || (!fenced[index] && /^#{1,6}\s/.test(line))) sections.push(line)
    else sections.push(sections.pop() + line)
  }
  return sections
}

/** Text outside entries is matched by its heading or first line, and the top of the file by its position. */
function nameOfText(text: string, isTop: boolean): string {
  return isTop ? "top of the file" : `text ${firstLine(text)}`
}

function firstLine(text: string): string {
  return text.split("\n", 1).join("").trim()
}

function freeKey(units: Units, name: string): string {
  for (let copy = 1; ; copy++) {
    const key = copy === 1 ? name : `${name} (${copy})`
    if (!units.has(key)) return key
  }
}

function keepsOrder(base: Units, side: Units): boolean {
  const place = new Map([...base.keys()].map((key, index) => [key, index]))
  const places = [...side.keys()].map((key) => place.get(key)).filter((index) => index !== undefined)
  return places.every((index, position) => position === 0 || index > (places[position - 1] ?? 0))
}

function mergeUnit(
  base: Unit | undefined,
  ours: Unit | undefined,
  theirs: Unit | undefined,
  lineEnd: string,
): Unit | undefined {
  if (ours?.says === theirs?.says) return ours
  if (ours?.says === base?.says) return theirs
  if (theirs?.says === base?.says) return ours
  if (!ours || !theirs) return ours ?? theirs // deleted here and changed there: the change is kept
  if (ours.kind === "other")
    return { ...ours, text: mergeLines({ base: base?.text ?? "", ours: ours.text, theirs: theirs.text }) }
  const first = ours.text + gapBetween(ours, theirs, lineEnd) + conflictComment(ours.key) + lineEnd
  return { ...theirs, text: first + theirs.text, versions: [ours.says, theirs.says] }
}

/** The leading side's order; units that only the other side has keep their predecessor. */
function uniteOrder(base: Units, lead: Units, other: Units, merged: ReadonlyMap<string, Unit>): string[] {
  const order = [...lead.keys()].filter((key) => merged.has(key))
  const placed = new Set(order)
  const isHeaded = (key: string) => ["sem", "legacy"].includes(merged.get(key)?.kind ?? "")
  // After units that the leading side added in the same place, except loose text, which a new heading would absorb.
  const isPassed = (key: string, next: string) =>
    !base.has(next) && !other.has(next) && (isHeaded(key) || !isHeaded(next))
  let previous: string | undefined
  for (const key of other.keys()) {
    if (merged.has(key) && !placed.has(key)) {
      let at = previous === undefined ? 0 : order.indexOf(previous) + 1
      while (at < order.length && isPassed(key, order[at] ?? "")) at++
      order.splice(at, 0, key)
      placed.add(key)
    }
    if (placed.has(key)) previous = key
  }
  return order
}

function writeUnits(units: Unit[], lineEnd: string): string {
  return units
    .map((unit, index) => {
      const next = units[index + 1]
      if (next) return unit.text + (unit.next === next.key ? unit.gap : gapBetween(unit, next, lineEnd))
      return unit.text + (unit.next === "" && unit.gap !== "" ? unit.gap : unit.gap.trimEnd() + lineEnd)
    })
    .join("")
}

/** The separator that keeps two new neighbours apart when parsed. */
function gapBetween(unit: Unit, next: Unit, lineEnd: string): string {
  const blankLine = lineEnd + lineEnd
  if (unit.kind === "sem" && !unit.gap.includes("---")) return `${blankLine}---${blankLine}`
  if (unit.kind === "bullet" && next.kind === "bullet") return lineEnd
  return unit.gap.trimEnd() + blankLine
}

/**
 * The boundaries of legacy entries depend on the text around them, so the result is parsed again and must contain every
 * entry. In a history, an entry with a heading may absorb the loose bullets below it, as on either side.
 */
function requireEveryEntry(text: string, merged: ReadonlyMap<string, Unit>, context: ReadContext): void {
  const found = [...readUnits(text, context).values()].filter(({ kind }) => kind !== "other").map(({ says }) => says)
  const whole = new Set(found)
  const isThere = (version: string) =>
    whole.has(version) || (context.kind === "history" && found.some((says) => says.startsWith(`${version}\n`)))
  for (const { key, kind, versions } of merged.values()) {
    if (kind === "other" || (kind === "bullet" && context.kind === "history") || versions.every(isThere)) continue
    throw new DreyError(`The entry ${key} would not be recognized after the merge`, {
      hint: "Merge this file by hand.",
    })
  }
}

/** Merges plain text line by line like git; if both sides changed the same lines, both are kept, ours first. */
function mergeLines(texts: { base: string; ours: string; theirs: string }): string {
  const folder = makeTemporaryFolder("merge")
  try {
    const [ours, base, theirs] = (["ours", "base", "theirs"] as const).map((name) => {
      const path = join(folder, name)
      writeInHome(path, texts[name] === "" ? "" : `${texts[name]}\n`)
      return path
    }) as [string, string, string]
    const merged = runGitOutside(folder, ["merge-file", "-p", "--union", ours, base, theirs])
    if (!merged)
      throw new DreyError("git merge-file failed, so the lines were not merged", {
        hint: "Check that git is installed.",
      })
    return merged.toString("utf8").replace(/\n$/, "")
  } finally {
    removeTemporaryFolder(folder)
  }
}
