import { sha256 } from "../../disk/hash.ts"
import { parseJson } from "../../disk/json.ts"
import { DreyError } from "../../errors.ts"
import { readEntries, type Segment } from "../../formats/entries.ts"
import type { Roster } from "../../formats/legacy/roster.ts"
import { readSkillHeader } from "../../formats/skill.ts"
import { type Cleared, clearText, generated } from "../../governance/cleared.ts"
import { contextAt } from "../change-plan.ts"

/** Squad's export document; `drey` holds the files that Squad leaves out, and checksums. */
export type Bundle = {
  version: "1.0"
  exported_at: string
  squad_version: string
  team_md?: string
  decisions_md?: string
  routing_md?: string
  casting: Record<string, unknown>
  agents: Record<string, { charter?: string; history?: string }>
  skills: string[]
  decisions?: string
  team?: string
  drey?: DreyPart
}

export type DreyPart = {
  schema: 1
  /** Every other file with entries, by its path below the team folder. */
  archives: Record<string, string>
  inbox: Record<string, string>
  memory: {
    config?: unknown
    index?: unknown
    entries: Record<string, string>
    tombstones: Record<string, unknown>
  }
  skillDirs: Record<string, string>
  entries: unknown[]
  checksums: Record<string, string>
}

/** The files in a bundle by their path below the team folder; skills are `skills/<name>/SKILL.md`. */
export type BundleFiles = Map<string, string>

export const bundleVersion = "1.0"

/** Squad's rule for the names of agents and skills; it keeps every path inside the team folder. */
export const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/

export const castingNames = ["registry", "policy", "history"] as const

/** Files that have their own key in a bundle. */
export const topFiles = { "team.md": "team_md", "decisions.md": "decisions_md", "routing.md": "routing_md" } as const

/** A bundle does not preserve JSON formatting, so JSON files are always written and compared in this form. */
export function writeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Reads a Squad or Drey export into files. Invalid exports are rejected before anything is written. */
export function readBundle(text: string, path: string): BundleFiles {
  const refuse: Refuse = (what, hint) => {
    throw new DreyError(`${path} cannot be imported: ${what}`, hint === undefined ? {} : { hint })
  }
  const bundle = requireRecord(parseJson(text, path), "it is not a JSON object", refuse)
  if (bundle.version !== bundleVersion)
    refuse(
      `its version is ${JSON.stringify(bundle.version)}, not "${bundleVersion}"`,
      "Export it again with drey export.",
    )
  const files: BundleFiles = new Map()
  for (const [name, key] of Object.entries(topFiles)) addText(files, name, bundle[key], key, refuse)
  readCasting(files, bundle.casting, refuse)
  readAgents(files, bundle.agents, refuse)
  const drey = bundle.drey === undefined ? {} : requireRecord(bundle.drey, '"drey" is not an object', refuse)
  readDreyFiles(files, drey, refuse)
  readSkills(files, bundle.skills, drey.skillDirs, refuse)
  checkSums(files, drey.checksums, refuse)
  if (files.size === 0) refuse("it is empty", "Export it again from a repository with a team folder.")
  return files
}

type Refuse = (what: string, hint?: string) => never
type Parts = Record<string, unknown>

function readCasting(files: BundleFiles, value: unknown, refuse: Refuse): void {
  if (value === undefined || value === null) return
  const casting = requireRecord(value, '"casting" is not an object', refuse)
  for (const name of castingNames) {
    const part = casting[name]
    if (part === undefined || part === null) continue
    files.set(`casting/${name}.json`, writeJson(requireObject(part, `"casting.${name}" is not JSON data`, refuse)))
  }
}

function readAgents(files: BundleFiles, value: unknown, refuse: Refuse): void {
  if (value === undefined || value === null) return
  for (const [name, part] of Object.entries(requireRecord(value, '"agents" is not an object', refuse))) {
    requireName(name, "an agent", refuse)
    const agent = requireRecord(part, `the agent "${name}" is not an object`, refuse)
    for (const file of ["charter", "history"])
      addText(files, `agents/${name}/${file}.md`, agent[file], `agents.${name}.${file}`, refuse)
  }
}

function readDreyFiles(files: BundleFiles, drey: Parts, refuse: Refuse): void {
  for (const [path, text] of textsOf(drey.archives, "drey.archives", refuse)) {
    requirePath(path, /^(?:decisions[^/]*|decisions\/.+|agents\/.+\/(?:history|charter)[^/]*)\.md$/i, refuse)
    addText(files, path, text, `drey.archives["${path}"]`, refuse)
  }
  for (const [name, text] of textsOf(drey.inbox, "drey.inbox", refuse)) {
    requirePath(`decisions/inbox/${name}`, /\.md$/i, refuse)
    addText(files, `decisions/inbox/${name}`, text, `drey.inbox["${name}"]`, refuse)
  }
  if (drey.memory === undefined) return
  const memory = requireRecord(drey.memory, '"drey.memory" is not an object', refuse)
  if (memory.config !== undefined)
    files.set(
      "memory/config.json",
      writeJson(requireObject(memory.config, '"drey.memory.config" is not JSON data', refuse)),
    )
  if (memory.index !== undefined) {
    if (!Array.isArray(memory.index)) refuse('"drey.memory.index" is not a list')
    files.set("memory/index.json", writeJson(memory.index))
  }
  for (const [path, text] of textsOf(memory.entries, "drey.memory.entries", refuse)) {
    requirePath(path, /^memory\/[a-z-]+\/.+\.md$/i, refuse)
    addText(files, path, text, `drey.memory.entries["${path}"]`, refuse)
  }
  for (const [id, value] of textsOf(memory.tombstones, "drey.memory.tombstones", refuse)) {
    requireName(id, "a tombstone", refuse)
    files.set(
      `memory/tombstones/${id}.json`,
      writeJson(requireObject(value, `the tombstone "${id}" is not JSON data`, refuse)),
    )
  }
}

/** Squad's list has no folder names. Without Drey's part they are taken from the skills themselves. */
function readSkills(files: BundleFiles, list: unknown, folders: unknown, refuse: Refuse): void {
  if (list !== undefined && list !== null && !Array.isArray(list)) refuse('"skills" is not a list')
  for (const [name, text] of textsOf(folders, "drey.skillDirs", refuse)) {
    requireName(name, "a skill", refuse)
    addText(files, `skills/${name}/SKILL.md`, text, `drey.skillDirs["${name}"]`, refuse)
  }
  const named = new Set(files.values())
  for (const [index, text] of ((list as unknown[] | undefined) ?? []).entries()) {
    if (typeof text !== "string") throw refuse(`skill ${index + 1} is not text`)
    if (named.has(text)) continue
    const title = /^#[ \t]+(.+)$/m.exec(text)?.[1]
    const name = slug(readSkillHeader(text.split(/\r?\n/)).fields.get("name")?.text ?? title ?? "")
    if (name === "") refuse(`skill ${index + 1} has no name`, "Give it one in its front matter.")
    addText(files, `skills/${name}/SKILL.md`, text, `skills[${index}]`, refuse)
  }
}

function checkSums(files: BundleFiles, value: unknown, refuse: Refuse): void {
  for (const [path, sum] of textsOf(value, "drey.checksums", refuse)) {
    const text = files.get(path)
    if (text === undefined) refuse(`${path} is missing from it`, "Export it again.")
    else if (sha256(text) !== sum)
      refuse(
        `the checksum of ${path} does not match`,
        'Export it again, or remove "drey.checksums" to import it anyway.',
      )
  }
}

/** Skips empty texts, so that they never replace existing ones. */
function addText(files: BundleFiles, path: string, value: unknown, key: string, refuse: Refuse): void {
  if (value === undefined || value === null) return
  if (typeof value !== "string") refuse(`"${key}" is not text`)
  else if (value.trim() !== "") files.set(path, value)
}

function textsOf(value: unknown, key: string, refuse: Refuse): [string, unknown][] {
  return value === undefined ? [] : Object.entries(requireRecord(value, `"${key}" is not an object`, refuse))
}

function requireRecord(value: unknown, otherwise: string, refuse: Refuse): Parts {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Parts) : refuse(otherwise)
}

function requireObject(value: unknown, otherwise: string, refuse: Refuse): object {
  return typeof value === "object" && value !== null ? value : refuse(otherwise)
}

function requireName(name: string, what: string, refuse: Refuse): void {
  if (!namePattern.test(name)) refuse(`"${name}" is not a valid name for ${what}`)
}

function requirePath(path: string, pattern: RegExp, refuse: Refuse): void {
  const isInside = path.split("/").every((part) => part !== "" && !part.startsWith(".")) && !/[\\:\0]/.test(path)
  if (!isInside || !pattern.test(path)) refuse(`"${path}" is not a valid path for a file with entries`)
}

function slug(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|-+$/g, "")
}

/** Rejected content: its place and rule, never the value. */
export type RefusedPiece = { path: string; line: number; id?: string; reason: string }

/** A piece of an imported file that passed the governance check, with its entry, if any. */
export type ClearedPiece = { text: Cleared; segment?: Segment }

/** Checks an imported file against governance: entry by entry if it contains entries, otherwise as a whole. */
export function clearFile(
  path: string,
  text: string,
  roster: Roster,
): { pieces: ClearedPiece[]; refused: RefusedPiece[] } {
  const name = clearText(path)
  if (name.kind === "refused") return { pieces: [], refused: [{ path: "a file's name", line: 1, reason: name.reason }] }
  if (path.endsWith(".json")) return clearJson(path, text)
  if (!isEntryFile(path)) return clearWhole(path, text)
  const pieces: ClearedPiece[] = []
  const refused: RefusedPiece[] = []
  for (const segment of readEntries(text, contextAt(path, roster)).segments) {
    const clearing = clearText(segment.text)
    if (clearing.kind === "cleared") pieces.push({ text: clearing.text, segment })
    else {
      const id = segment.entry === undefined ? {} : { id: segment.entry.id }
      refused.push({ path, line: segment.line + clearing.line - 1, ...id, reason: clearing.reason })
    }
  }
  return { pieces, refused }
}

export function isEntryFile(path: string): boolean {
  return /^decisions.*\.md$|\/history[^/]*\.md$/i.test(path)
}

function clearWhole(path: string, text: string): { pieces: ClearedPiece[]; refused: RefusedPiece[] } {
  const clearing = clearText(text)
  if (clearing.kind === "cleared") return { pieces: [{ text: clearing.text }], refused: [] }
  return { pieces: [], refused: [{ path, line: clearing.line, reason: clearing.reason }] }
}

/** In a list such as the index, each record is checked separately. */
function clearJson(path: string, text: string): { pieces: ClearedPiece[]; refused: RefusedPiece[] } {
  const value: unknown = JSON.parse(text)
  if (!Array.isArray(value)) return clearWhole(path, text)
  const refused: RefusedPiece[] = []
  const kept = value.filter((record) => {
    const clearing = clearText(writeJson(record), "reject")
    if (clearing.kind === "refused") refused.push({ path, line: 1, ...idOf(record), reason: clearing.reason })
    return clearing.kind === "cleared"
  })
  return { pieces: [{ text: generated(writeJson(kept)) }], refused }
}

function idOf(record: unknown): { id?: string } {
  const id = typeof record === "object" && record !== null && "id" in record ? record.id : undefined
  return typeof id === "string" ? { id } : {}
}
