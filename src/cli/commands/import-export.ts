import { join, resolve } from "node:path"
import { type Command, Option } from "commander"
import { actingAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { BundleImport } from "../../team/bundle/bundle-import.ts"
import type { ForeignFormat } from "../../team/import/foreign-entry.ts"
import type { ForeignImport } from "../../team/import/foreign-import.ts"
import { command } from "../command.ts"
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
    "Export the team's memory to one file: decisions, archives, inbox, histories, charters, governed memory and skills. Secrets and personal data are redacted.",
    "drey export\ndrey export --skills --out skills.json\ndrey export --learned --kind invariant",
  )
    .option("--out <file>", "output file; default: squad-export.json in the repository")
    .option("--skills", "skills only")
    .option("--learned", "export learned memories instead (on trial and proven), to drey-learned.json")
    .option("--kind <kind>", "with --learned: only invariants, preferences, patterns, guards or notes")
    .option("--all-projects", "with --learned: from every project")
    .action((options: Options) => (options.learned ? exportLearned(options) : exportBundle(options)))
}

async function exportLearned(options: Options): Promise<void> {
  const drey = openDrey(options)
  const result = await drey.memories.export(resolve(options.out ?? join(drey.root, "drey-learned.json")), {
    ...(options.kind === undefined ? {} : { kind: options.kind }),
    everywhere: options.allProjects === true,
  })
  await drey.close()
  print(
    options,
    () => result,
    () => `Wrote ${result.path}: ${count(result.memories, "memory", "memories")}.`,
  )
}

async function exportBundle(options: Options): Promise<void> {
  const result = await openDrey(options).team.export({
    skillsOnly: options.skills === true,
    ...(options.out === undefined ? {} : { out: options.out }),
  })
  print(
    options,
    () => result,
    () => {
      const { path, entries, agents, skills, redacted, leftOut } = result
      const parts = [count(entries, "entry", "entries"), count(agents, "agent"), count(skills, "skill")]
      const places = redacted.map(({ path: file, line, rule }) => `Redacted: ${file}:${line} (${rule})`)
      const older = `Skipped: ${count(leftOut, "entry", "entries")} in .ai-team that .squad does not have. Move them to .squad to export them.`
      return [`Wrote ${path}: ${parts.join(", ")}.`, ...places, ...(leftOut > 0 ? [older] : [])].join("\n")
    },
  )
}

type OptionsImport = CommonOptions & {
  from?: string
  format?: ForeignFormat
  skillsOnly?: boolean
  force?: boolean
  merge?: boolean
  dryRun?: boolean
  learned?: boolean
}

export function importCommand(): Command {
  return command(
    "import",
    "Import another team's export, or another tool's files as proposals in the inbox: decision records (MADR, adr-tools, log4brains), CLAUDE.md or AGENTS.md, the memory server's JSON lines, a Cline memory bank. Exit code 1 when something was refused.",
    "drey import squad-export.json --merge\ndrey import --from other-squad.json --skills-only\ndrey import docs/adr --dry-run",
  )
    .argument("[path]", "an exported file, or another tool's file or folder")
    .option("--from <file>", "the same, as an option")
    .addOption(
      new Option("--format <format>", "the other tool's format; default: detected").choices([
        "adr",
        "rules",
        "server-memory",
        "cline",
      ]),
    )
    .option("--skills-only", "import only the skills of an exported file; of two versions the newer one is kept")
    .option("--merge", "add entries that the team folder does not have yet, by id")
    .option("--force", "replace the team folder with the file's content; the old folder is moved, not deleted")
    .option("--learned", "import a file written by export --learned; its memories start on trial")
    .option("--dry-run", "show what would be imported and write nothing")
    .action(importFrom)
}

async function importFrom(path: string | undefined, options: OptionsImport): Promise<void> {
  const source = path ?? options.from
  if (source === undefined)
    throw new DreyError("Nothing to import: name a file or folder", { hint: "drey import squad-export.json" })
  if (options.learned) return importLearned(source, options)
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

function describeProposals({ format, proposed, known }: ForeignImport, { dryRun }: OptionsImport): string {
  const lines = proposed.map(({ type, title, path }) => `  ${type}: ${title}  ${path}`)
  const what = `${dryRun ? "Would propose" : "Proposed"} ${count(proposed.length, "entry", "entries")} (${format}).`
  const old = known.length === 0 ? [] : [`${count(known.length, "entry", "entries")} already here.`]
  const next = proposed.length > 0 && !dryRun ? ["Review them in the inbox, then run: drey merge"] : []
  return [what, ...lines, ...old, ...next].join("\n")
}
