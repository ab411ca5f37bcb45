import { join, resolve } from "node:path"
import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { actingAgent } from "../../hooks/acting-agent.ts"
import type { BundleImport } from "../../team/bundle/bundle-import.ts"
import type { ForeignFormat } from "../../team/import/foreign-entry.ts"
import type { ForeignImport } from "../../team/import/foreign-import.ts"
import type { FoundSource } from "../../team/import/foreign-sources.ts"
import { command, writingCommand } from "../command.ts"
import { colors, writeJsonText } from "../output.ts"
import { type CommonOptions, count, print, printNotice } from "../print.ts"

type Options = CommonOptions & {
  out?: string
  skills?: boolean
  learned?: boolean
  kind?: string
  allProjects?: boolean
}

export function exportCommand(): Command {
  return command(
    "export",
    "Export the team's memory to one file: decisions, archives, inbox, histories, charters, governed memory and skills. Secrets and personal data are redacted. Written to stdout when that is a file or a pipe, else to drey-export.json in the repository.",
    "drey export\ndrey export > backup.json\ndrey export --skills --out skills.json\ndrey export --learned --kind invariant",
  )
    .option("--out <file>", "output file; - for stdout")
    .option("--skills", "skills only")
    .option("--learned", "export learned memories instead (on trial and proven); default file: drey-learned.json")
    .option("--kind <kind>", "with --learned: only invariants, preferences, patterns, guards or notes")
    .option("--all-projects", "with --learned: from every project")
    .action((options: Options) => (options.learned ? exportLearned(options) : exportBundle(options)))
}

/** Into the pipe or file that stdout is, unless a file is named. */
function isForStdout({ out, json }: Options): boolean {
  return out === "-" || (out === undefined && !json && process.stdout.isTTY !== true)
}

/** The summary goes to stderr when stdout has the document. */
function reportExport(options: Options, result: { path: string | null }, lines: string[]): void {
  const text = lines.join("\n")
  if (result.path === null) printNotice(text)
  else
    print(
      options,
      () => result,
      () => text,
    )
}

async function exportLearned(options: Options): Promise<void> {
  const drey = openDrey(options)
  const path = resolve(options.out ?? join(drey.root, "drey-learned.json"))
  const result = await drey.memories.export(isForStdout(options) ? writeJsonText : path, {
    ...(options.kind === undefined ? {} : { kind: options.kind }),
    everywhere: options.allProjects === true,
  })
  await drey.close()
  reportExport(options, result, [
    `${result.path === null ? "Exported" : `Wrote ${result.path}:`} ${count(result.memories, "memory", "memories")}.`,
  ])
}

async function exportBundle(options: Options): Promise<void> {
  const { out } = options
  const target = isForStdout(options) ? { write: writeJsonText } : out === undefined ? {} : { out }
  const result = await openDrey(options).team.export({ skillsOnly: options.skills === true, ...target })
  const { path, entries, agents, skills, redacted, leftOut } = result
  const parts = [count(entries, "entry", "entries"), count(agents, "agent"), count(skills, "skill")]
  reportExport(options, result, [
    `${path === null ? "Exported" : `Wrote ${path}:`} ${parts.join(", ")}.`,
    ...redacted.map(({ path: file, line, rule }) => `Redacted: ${file}:${line} (${rule})`),
    ...(leftOut > 0
      ? [
          `Skipped: ${count(leftOut, "entry", "entries")} in .ai-team that .squad does not have. Move them to .squad to export them.`,
        ]
      : []),
  ])
}

type OptionsImport = CommonOptions & {
  from?: string
  format?: ForeignFormat
  skillsOnly?: boolean
  force?: boolean
  merge?: boolean
  dryRun?: boolean
  learned?: boolean
  index?: boolean
}

export function importCommand(): Command {
  return writingCommand(
    "import",
    "Import another team's export, or another tool's files as proposals in the inbox: decision records (MADR, adr-tools, log4brains), the rules in AGENTS.md, CLAUDE.md, Cursor and Copilot files, memories of Claude Code, Codex, claude-mem, mem0, basic-memory, the reference memory server and Cline, and decisions that git commits state (.git). Without a path it lists what it finds. Exit code 1 when something was refused.",
    "drey import\ndrey import docs/adr --dry-run\ndrey import AGENTS.md\ndrey import .git --dry-run\ndrey import drey-export.json --merge",
  )
    .argument("[path]", "an exported file, or another tool's file or folder; default: list what is found")
    .option("--from <file>", "the same, as an option")
    .addOption(
      new Option("--format <format>", "the other tool's format; default: detected by content").choices(formats),
    )
    .option("--index", "copy nothing: let searches find this Markdown file, which agents read by themselves")
    .option("--skills-only", "import only the skills of an exported file; of two versions the newer one is kept")
    .option("--merge", "add entries that the team folder does not have yet, by id")
    .option("--force", "replace the team folder with the file's content; the old folder is moved, not deleted")
    .option("--learned", "import a file written by export --learned; its memories start on trial")
    .option("--dry-run", "show what would be imported and write nothing")
    .action(importFrom)
}

const formats = [
  "adr",
  "rules",
  "server-memory",
  "cline",
  "claude-memory",
  "codex-memory",
  "claude-mem",
  "mem0",
  "basic-memory",
] as const satisfies readonly ForeignFormat[]

async function importFrom(path: string | undefined, options: OptionsImport): Promise<void> {
  const source = path ?? options.from
  if (source === undefined) return listFound(options)
  if (options.learned) return importLearned(source, options)
  if (options.index) return indexSource(source, options)
  if (options.force && options.merge) throw new DreyError("--force and --merge cannot be combined")
  const result = await openDrey({ ...options, agent: actingAgent(process.env) }).team.import(source, {
    mode: options.force ? "force" : options.merge ? "merge" : "new",
    skillsOnly: options.skillsOnly === true,
    dryRun: options.dryRun === true,
    ...(options.format === undefined ? {} : { format: options.format }),
  })
  print(
    options,
    () => result,
    () => (result.kind === "bundle" ? describeBundle(result, options) : describeProposals(result, options)),
  )
  for (const { path: file, line, reason } of result.refused) printNotice(`drey: refused ${file}:${line}: ${reason}`)
  if (result.refused.length > 0) process.exitCode = exitCode.no
}

async function indexSource(source: string, options: OptionsImport): Promise<void> {
  const drey = openDrey({ ...options, agent: actingAgent(process.env) })
  const result = await drey.team.sources.index(source)
  await drey.close()
  print(
    options,
    () => result,
    () =>
      result.isNew
        ? `Searches find ${result.path} now, with the line. Nothing was copied. Undo: drey undo`
        : `Searches find ${result.path} already.`,
  )
}

/** What `drey import` could read, with the number of entries of each. */
async function listFound(options: OptionsImport): Promise<void> {
  const found = await openDrey(options).team.sources.find()
  print(
    options,
    () => found,
    () => foundText(found) || "Nothing to import found. Name a file or folder: drey import docs/adr",
  )
  if (found.length === 0) process.exitCode = exitCode.no
}

const things: Record<ForeignFormat, [one: string, many: string]> = {
  adr: ["decision", "decisions"],
  rules: ["rule", "rules"],
  "server-memory": ["memory", "memories"],
  cline: ["note", "notes"],
  "claude-memory": ["memory of Claude Code", "memories of Claude Code"],
  "codex-memory": ["memory of Codex", "memories of Codex"],
  "claude-mem": ["memory of claude-mem", "memories of claude-mem"],
  mem0: ["memory of mem0", "memories of mem0"],
  "basic-memory": ["note of basic-memory", "notes of basic-memory"],
  commits: ["decision stated in a commit", "decisions stated in commits"],
}

/** Each source with its number of entries and the command that imports it. */
export function foundText(found: readonly FoundSource[]): string {
  const lines = found.map(({ path, format, entries, isReadByAgents }) => {
    const what = count(entries, ...things[format])
    return {
      command: `drey import ${quoted(path)}${isReadByAgents ? " --index" : ""}`,
      what: isReadByAgents ? `${what}; agents read it by themselves, so searches find it in place` : what,
    }
  })
  const width = Math.max(0, ...lines.map(({ command }) => command.length))
  return lines.map(({ command, what }) => `  ${command.padEnd(width)}  ${colors.dim(what)}`).join("\n")
}

function isReadByAgents(path: string): boolean {
  return /(?:^|\/)(?:agents?|claude)\.md$/i.test(path)
}

function quoted(path: string): string {
  const home = process.env.HOME ?? ""
  if (/[\s'"]/.test(path)) return `"${path}"`
  return home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

async function importLearned(source: string, options: OptionsImport): Promise<void> {
  const drey = openDrey(options)
  const { added, known, dryRun } = await drey.memories.import(source, { dryRun: options.dryRun === true })
  await drey.close()
  print(
    options,
    () => ({ added, known, dryRun }),
    () =>
      `${dryRun ? "Would import" : "Imported"} ${count(added.length, "memory", "memories")}, on trial; ${known} skipped (already known, retired here, or refused by governance).`,
  )
}

function describeBundle(result: BundleImport, { dryRun, merge }: OptionsImport): string {
  const written = dryRun ? "Would write" : "Wrote"
  const lines = [`${written} ${count(result.files.length, "file")}.`, ...result.files.map((file) => `  ${file}`)]
  if (merge) lines.push(`${count(result.added.length, "entry", "entries")} new.`)
  for (const id of result.different) lines.push(`${id} exists here with a different text; it was left unchanged.`)
  for (const { name, change } of result.skills) lines.push(`Skill ${name}: ${change}.`)
  if (result.movedTo !== undefined)
    lines.push(`The old team folder was moved to ${result.movedTo}; "drey undo" does not move it back.`)
  return lines.join("\n")
}

function describeProposals({ format, proposed, known, skipped }: ForeignImport, { dryRun }: OptionsImport): string {
  const what = `${dryRun ? "Would propose" : "Proposed"} ${count(proposed.length, ...things[format])}.`
  const lines = proposed.flatMap(({ title, from, line, section = "" }, at) => {
    const before = proposed[at - 1]
    const isNew = before === undefined || before.from !== from || (before.section ?? "") !== section
    const heading = section === "" ? from : `${from}, ${section}`
    return [...(isNew ? [colors.bold(heading)] : []), `  ${colors.dim(String(line).padStart(4))}  ${title}`]
  })
  const left = skipped.map(({ reason, count: number }) => `Skipped ${number} ${reason}.`)
  const old = known.length === 0 ? [] : [`${count(known.length, "entry", "entries")} already here.`]
  const read = proposed.find(({ from }) => isReadByAgents(from))?.from
  const hint =
    read === undefined
      ? []
      : [`Agents that read ${read} get these rules twice. To only search it: drey import ${read} --index`]
  const next = proposed.length > 0 && !dryRun ? ["Review them: drey inbox, or drey ui. Undo: drey undo"] : []
  return [what, ...lines, ...left, ...old, ...hint, ...next].join("\n")
}
