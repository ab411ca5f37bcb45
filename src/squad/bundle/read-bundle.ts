import { parseJson } from "../../disk/parse-json.ts"
import { sha256 } from "../../disk/sha256.ts"
import { DreyError } from "../../errors.ts"
import { readSkillHeader } from "../../formats/skill-header.ts"
import { type BundleFiles, bundleVersion, castingNames, namePattern, topFiles, writeJson } from "./bundle.ts"

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
        'Export it again, or remove "drey.checksums" to import it as it is.',
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
