import { type Command, Option } from "commander"
import { actingAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { BundleImport } from "../../squad/bundle/import-bundle.ts"
import type { ForeignFormat } from "../../squad/import/foreign-entry.ts"
import type { ForeignImport } from "../../squad/import/import-foreign.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, tell } from "../print.ts"

type Options = CommonOptions & {
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

async function importFrom(path: string | undefined, options: Options): Promise<void> {
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
  for (const { path: file, line, reason } of result.refused) tell(`drey: refused ${file}:${line}: ${reason}`)
  if (result.refused.length > 0) process.exitCode = exitCode.no
}

async function importLearned(source: string, options: Options): Promise<void> {
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

function describeBundle(result: BundleImport, { dryRun, merge }: Options): string {
  const written = dryRun ? "Would write" : "Wrote"
  const lines = [`${written} ${count(result.files.length, "file")}.`, ...result.files.map((file) => `  ${file}`)]
  if (merge) lines.push(`${count(result.added.length, "entry", "entries")} new.`)
  for (const id of result.different) lines.push(`${id} exists here with a different text; it was left unchanged.`)
  for (const { name, change } of result.skills) lines.push(`Skill ${name}: ${change}.`)
  if (result.movedTo !== undefined)
    lines.push(`The old team folder was moved to ${result.movedTo}; "drey undo" does not move it back.`)
  return lines.join("\n")
}

function describeProposals({ format, proposed, known }: ForeignImport, { dryRun }: Options): string {
  const lines = proposed.map(({ type, title, path }) => `  ${type}: ${title}  ${path}`)
  const what = `${dryRun ? "Would propose" : "Proposed"} ${count(proposed.length, "entry", "entries")} (${format}).`
  const old = known.length === 0 ? [] : [`${count(known.length, "entry", "entries")} already here.`]
  const next = proposed.length > 0 && !dryRun ? ["Review them in the inbox, then run: drey merge"] : []
  return [what, ...lines, ...old, ...next].join("\n")
}
