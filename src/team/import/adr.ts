import { readSkillHeader } from "../../formats/skill.ts"
import { splitLines } from "../../formats/source-text.ts"
import { isCalendarDate } from "../../formats/timestamp.ts"
import { type ForeignEntry, type ForeignFile, type MarkdownSection, sectionsOf } from "./foreign-entry.ts"

/** Reads architecture decision records of MADR, adr-tools and log4brains: one file each, linked by "supersedes". */
export function readAdrs(files: readonly ForeignFile[]): ForeignEntry[] {
  const records = files.filter(({ path }) => !isAboutRecords(path)).map(readAdr)
  const byName = new Map(records.flatMap((record) => namesOf(record.entry.file).map((name) => [name, record.entry])))
  for (const { entry, supersedes, supersededBy } of records) {
    for (const name of supersedes) link(entry, byName.get(name))
    for (const name of supersededBy) link(byName.get(name), entry)
  }
  return records.map(({ entry }) => entry)
}

/** Whether a file is a decision record, by its name or contents. */
export function isAdr({ path, text }: ForeignFile): boolean {
  if (isAboutRecords(path)) return false
  return (
    /(?:^|\/)(?:adr[-_]?)?(?:\d{3,4}|\d{8})[-_][^/]+\.md$/i.test(path) &&
    /^(?:#+[ \t]*status|status:|[-*][ \t]*(?:\*\*)?status)/im.test(text)
  )
}

type Adr = { entry: ForeignEntry; supersedes: string[]; supersededBy: string[] }

function readAdr({ path, text }: ForeignFile): Adr {
  const header = readSkillHeader(splitLines(text).lines)
  const front = header.form === "front-matter" ? header : undefined
  const body = front ? splitLines(text).lines.slice(front.bodyStart).join("\n") : text
  const sections = sectionsOf(body, 2)
  const title = sections.find(({ level }) => level === 1)
  const labels = readLabels([sections[0]?.text, title?.text].join("\n"))
  const field = (...names: string[]) =>
    names.map((name) => textOf(front?.fields.get(name)?.value) ?? labels.get(name)).find((value) => value)
  const statusText = [field("status"), sections.find(({ heading }) => isStatus(heading))?.text]
    .filter(Boolean)
    .join("\n")
  const status = statusOf(statusText)
  const date =
    dateIn(field("date", "updated") ?? "") ?? dateIn(/(\d{4})(\d{2})(\d{2})-/.exec(path)?.slice(1).join("-") ?? "")
  const context = sections.filter(({ heading }) => /^context/i.test(heading))
  const rest = sections.filter(
    (section) => section !== title && !isStatus(section.heading) && !context.includes(section),
  )
  const details = [withoutLabels(title?.text ?? ""), ...rest.map((section) => withHeading(section, labels))]
  const entry: ForeignEntry = {
    key: path,
    file: path,
    line: 1,
    type: status === "rejected" ? "note" : "decision",
    title: plainTitle(title?.heading ?? front?.fields.get("title")?.text ?? path.replace(/^.*\/|\.md$/gi, "")),
    details: details.filter(Boolean).join("\n\n"),
    rationale: context.map(({ text: reasons }) => reasons).join("\n\n"),
    ...(date === undefined ? {} : { date }),
    authors: listOf(field("deciders", "decision-makers", "decision makers", "author", "authors") ?? ""),
    tags: ["adr", ...(status === "accepted" ? [] : [status]), ...listOf(field("tags") ?? "")],
    supersedes: [],
    ...(status === "proposed" ? { review: "proposed, not accepted yet" } : {}),
    extensions: [{ name: "status", value: status }],
  }
  return {
    entry,
    supersedes: namesIn(statusText, /super[sc]ede[sd]?(?!d? by)\b/i),
    supersededBy: namesIn(statusText, /super[sc]eded? by\b/i),
  }
}

const statuses = ["superseded", "deprecated", "rejected", "proposed", "accepted"] as const

function statusOf(text: string): (typeof statuses)[number] {
  const lower = text.toLowerCase().replaceAll("superceded", "superseded") // adr-tools' old spelling
  if (/\bdraft\b/.test(lower)) return "proposed"
  // "Supersedes 0003" is the status of the other record only.
  return statuses.find((status) => lower.includes(status)) ?? "accepted"
}

/** `* Status: accepted`, `- **Date**: 2021-02-03`, `Date: 2016-02-12`, above the first section. */
function readLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>()
  for (const line of text.split("\n")) {
    const [, name, value] = label.exec(line) ?? []
    if (name && value && !labels.has(name.toLowerCase())) labels.set(name.toLowerCase(), value.trim())
  }
  return labels
}

const label =
  /^[ \t]*(?:[-*][ \t]+)?(?:\*\*)?(status|date|deciders|decision-makers|decision makers|authors?|tags|updated)(?:\*\*)?:(?:\*\*)?[ \t]*(.*)$/i

function withoutLabels(text: string): string {
  return text
    .split("\n")
    .filter((line) => !label.test(line))
    .join("\n")
    .trim()
}

function withHeading({ heading, level, text }: MarkdownSection, labels: ReadonlyMap<string, string>): string {
  const plain = level === 0 && labels.size > 0 ? withoutLabels(text) : text
  if (heading === "" || /^decision(?: outcome)?$/i.test(heading)) return plain
  return plain === "" ? "" : `## ${heading}\n\n${plain}`
}

function isStatus(heading: string): boolean {
  return /^status$/i.test(heading.trim())
}

/** `1. Record decisions`, `ADR-001: Record decisions` and `0001 - Record decisions` are all called "Record decisions". */
function plainTitle(heading: string): string {
  return heading.replace(/^(?:ADR[- ]?)?\d+[.:)]?[ \t]*[-–—:]?[ \t]*(?=\S)/i, "").trim() || heading
}

/** The records that a status line names after words such as "superseded by", by link or number. */
function namesIn(text: string, words: RegExp): string[] {
  return text.split(/\n|(?<=[.;])\s/).flatMap((line) => {
    const match = words.exec(line)
    if (!match) return []
    const behind = line.slice(match.index + match[0].length)
    const links = [...behind.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = ""]) => fileName(target))
    if (links.length > 0) return links
    return [...behind.matchAll(/\b(?:ADR[- ]?)?0*(\d{1,8})\b/gi)].map(([, number = ""]) => number)
  })
}

/** A record is named by its file, or by the number that the name begins with. */
function namesOf(path: string): string[] {
  const name = fileName(path)
  const number = /^(?:adr[-_]?)?0*(\d+)/i.exec(name)?.[1]
  return number === undefined ? [name] : [name, number]
}

function fileName(path: string): string {
  const name = path
    .trim()
    .replace(/^.*[\\/]/, "")
    .toLowerCase()
  return name.endsWith(".md") ? name : `${name}.md` // log4brains links by the bare name
}

function link(newer: ForeignEntry | undefined, older: ForeignEntry | undefined): void {
  if (newer && older && newer !== older && !newer.supersedes.includes(older.key)) newer.supersedes.push(older.key)
}

function dateIn(text: string): string | undefined {
  const date = /\d{4}-\d{2}-\d{2}/.exec(text)?.[0]
  return date !== undefined && isCalendarDate(date) ? date : undefined
}

function listOf(text: string): string[] {
  return text
    .split(/[,;]| and /)
    .map((item) => item.replace(/[[\]{}"'*`]/g, "").trim())
    .filter((item) => item !== "" && item.length <= 60)
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(String).join(", ")
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}

function isAboutRecords(path: string): boolean {
  return /(?:^|\/)(?:readme|index|template|adr-template|.*-template)\.md$/i.test(path)
}
