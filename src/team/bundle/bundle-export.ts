import { sha256 } from "../../disk/hash.ts"
import { findJsonBreak } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { readEntries } from "../../formats/entries.ts"
import { toEntryJson } from "../../formats/entry-json.ts"
import { type Cleared, generated } from "../../governance/cleared.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { findInPath, findSensitive, scrubText } from "../../governance/redaction.ts"
import { contextAt } from "../change-plan.ts"
import { readStore } from "../team-entries.ts"
import { listSkills, listTeamFiles, readRoster } from "../team-files.ts"
import { requireStore, type TeamStore } from "../team-folder.ts"
import { type Bundle, bundleVersion, castingNames, type DreyPart, namePattern, writeJson } from "./bundle.ts"

declare const DREY_VERSION: string // defined by the build

/** `write` stores the document; only what `generated` made is handed to it. */
export type ExportOptions = { skillsOnly: boolean; out: string | undefined; write(document: Cleared): void }

export type ExportResult = {
  /** null: it was handed to the caller. */
  path: string | null
  entries: number
  agents: number
  skills: number
  /** Where content was removed, and by which rule: secrets, personal data, and other forbidden content. */
  redacted: { path: string; line: number; rule: string }[]
  /** The number of entries found only in an older `.ai-team` folder; they are not exported. */
  leftOut: number
}

/** Exports the team folder to one file that another repository can import, without forbidden content. */
export function exportBundle(store: TeamStore, options: ExportOptions, now: Date): ExportResult {
  const redacted: ExportResult["redacted"] = []
  const clean: Clean = (path, text, firstLine = 1) => {
    const result = redact(text)
    if (result === text) return text
    const shown = findInPath(path).shown
    for (const { line, rule } of findSensitive(text)) redacted.push({ path: shown, line: firstLine + line - 1, rule })
    return result
  }
  const files = options.skillsOnly ? new Map<string, string>() : readFiles(store, clean)
  const skills = listSkills(store.root).map(({ name, path, text }) => ({ name, text: clean(path, text) }))
  const bundle = toBundle(store, files, skills, now)
  const agents = Object.keys(bundle.agents).length
  const entries = bundle.drey?.entries.length ?? 0
  if (entries + skills.length + agents === 0)
    throw new DreyError(`${store.root} has nothing to export${options.skillsOnly ? ": no skills" : ""}`, {
      exitCode: exitCode.no,
    })
  options.write(generated(writeJson(bundle)))
  const leftOut = options.skillsOnly ? 0 : countLeftOut(store, now)
  return { path: options.out ?? null, entries, agents, skills: skills.length, redacted, leftOut }
}

/** Redacts a text and records each redaction; `firstLine` is where the text begins in its file. */
type Clean = (path: string, text: string, firstLine?: number) => string

function countLeftOut(store: TeamStore, now: Date): number {
  const [, older] = store.folders
  return older ? readStore(store, now).entries.filter(({ path }) => path.startsWith(`${older.name}/`)).length : 0
}

const exported =
  /^(?:(?:team|routing)\.md|casting\/(?:registry|policy|history)\.json|decisions[^/]*\.md|decisions\/.+\.md|agents\/.+\/(?:charter|history[^/]*)\.md|memory\/(?:config|index)\.json|memory\/tombstones\/[^/]+\.json|memory\/[a-z-]+\/.+\.md)$/i

function readFiles(store: TeamStore, clean: Clean): Map<string, string> {
  const [folder] = requireStore(store).folders
  const files = new Map<string, string>()
  if (!folder) return files
  for (const { path, shown, absolute } of listTeamFiles(folder)) {
    // Dotfiles and files in dot folders are quarantined or temporary.
    if (!exported.test(path) || path.split("/").some((part) => part.startsWith("."))) continue
    const { text } = readTextFile(absolute)
    files.set(
      path,
      path.endsWith(".json")
        ? writeJson(redactValues(parseJson(shown, text), { path: shown, text }, clean))
        : clean(shown, text),
    )
  }
  return files
}

function toBundle(
  store: TeamStore,
  files: Map<string, string>,
  skills: { name: string; text: string }[],
  now: Date,
): Bundle {
  const named = skills.filter(({ name }) => namePattern.test(name)) // the others are exported in Squad's unnamed list only
  const drey: DreyPart = {
    schema: 1,
    archives: {},
    inbox: {},
    memory: { entries: {}, tombstones: {} },
    skillDirs: Object.fromEntries(named.map(({ name, text }) => [name, text])),
    entries: entriesOf(store, files),
    checksums: {},
  }
  const bundle: Bundle = {
    version: bundleVersion,
    exported_at: now.toISOString(),
    squad_version: `drey ${typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0"}`,
    casting: {},
    agents: {},
    skills: skills.map(({ text }) => text),
  }
  for (const [path, text] of files) place(path, text, bundle, drey)
  const kept = [...files, ...named.map(({ name, text }): [string, string] => [`skills/${name}/SKILL.md`, text])]
  drey.checksums = Object.fromEntries(
    kept.filter(([, text]) => text.trim() !== "").map(([path, text]) => [path, sha256(text)]),
  )
  // Squad's own import reads the texts under both names.
  if (bundle.decisions_md !== undefined) bundle.decisions = bundle.decisions_md
  if (bundle.team_md !== undefined) bundle.team = bundle.team_md
  return { ...bundle, drey }
}

/** Stores a file under Squad's key for it, or else in Drey's part. */
function place(path: string, text: string, bundle: Bundle, drey: DreyPart): void {
  const casting = castingNames.find((name) => path === `casting/${name}.json`)
  const [, agent = "", part] = /^agents\/([^/]+)\/(charter|history)\.md$/.exec(path) ?? []
  if (path === "team.md") bundle.team_md = text
  else if (path === "decisions.md") bundle.decisions_md = text
  else if (path === "routing.md") bundle.routing_md = text
  else if (casting) bundle.casting[casting] = JSON.parse(text)
  else if (part && namePattern.test(agent)) bundle.agents[agent] = { ...bundle.agents[agent], [part]: text }
  else if (path.startsWith("decisions/inbox/")) drey.inbox[path.slice("decisions/inbox/".length)] = text
  else if (path === "memory/config.json") drey.memory.config = JSON.parse(text)
  else if (path === "memory/index.json") drey.memory.index = JSON.parse(text)
  else if (path.startsWith("memory/tombstones/"))
    drey.memory.tombstones[path.slice("memory/tombstones/".length, -".json".length)] = JSON.parse(text)
  else if (path.startsWith("memory/")) drey.memory.entries[path] = text
  else drey.archives[path] = text
}

function entriesOf(store: TeamStore, files: Map<string, string>): object[] {
  const roster = readRoster(store)
  return [...files]
    .filter(([path]) => /^decisions.*\.md$|\/history[^/]*\.md$/i.test(path))
    .flatMap(([path, text]) =>
      readEntries(text, contextAt(path, roster)).entries.map(({ entry, id }) => ({ ...toEntryJson(entry, id), path })),
    )
}

/** Replaces secrets and personal data with marks, and other forbidden content with `[withheld: …]`. */
function redact(text: string): string {
  const scrubbed = scrubText(text)
  let result = ""
  let from = 0
  for (const { reason, start, end } of detectForbidden(scrubbed)) {
    result += `${scrubbed.slice(from, start)}[withheld: ${reason}]`
    from = end
  }
  return result + scrubbed.slice(from)
}

type ExportedFile = { path: string; text: string }

function redactValues(value: unknown, source: ExportedFile, clean: Clean): unknown {
  if (typeof value === "string") return clean(source.path, value, lineOf(value, source.text))
  if (Array.isArray(value)) return value.map((each) => redactValues(each, source, clean))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactValues(each, source, clean)]))
}

/** The line of a value in a JSON file; 1 if it is escaped differently there. */
function lineOf(value: string, text: string): number {
  return text.slice(0, Math.max(0, text.indexOf(JSON.stringify(value)))).split("\n").length
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { line, column } = findJsonBreak(text) // the parser's message would quote the file
    throw new DreyError(`${path}:${line}:${column} is not JSON`, {
      hint: "Fix the file and export again; without it the export would be incomplete.",
    })
  }
}
