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
    "Bring in what another team exported, or what another tool wrote down: decision records (MADR, adr-tools, log4brains), CLAUDE.md or AGENTS.md, the memory server's JSON lines, a Cline memory bank. Those become proposals in the inbox. Exit code 1 when something was refused.",
    "drey import squad-export.json --merge\ndrey import --from other-squad.json --skills-only\ndrey import docs/adr --dry-run",
  )
    .argument("[path]", "an exported file, or another tool's file or folder")
    .option("--from <file>", "the same, as an option")
    .addOption(
      new Option("--format <format>", "what another tool wrote; found out when not given").choices([
        "adr",
        "rules",
        "server-memory",
        "cline",
      ]),
    )
    .option("--skills-only", "only the skills of an exported file; of two under one name the newer version stays")
    .option("--merge", "add what the store does not have yet, by id")
    .option("--force", "move the store that is there aside, and start from the file")
    .option("--learned", "a file of export --learned: its memories come in on trial")
    .option("--dry-run", "show what would come in and write nothing")
    .action(importFrom)
}

async function importFrom(path: string | undefined, options: Options): Promise<void> {
  const source = path ?? options.from
  if (source === undefined) throw new DreyError("Name what to import", { hint: "drey import squad-export.json" })
  if (options.learned) return importLearned(source, options)
  if (options.force && options.merge) throw new DreyError("--force and --merge cannot both be meant")
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
      `${dryRun ? "Would take in" : "Took in"} ${count(added.length, "memory", "memories")}, on trial; ${known} known already, ended here, or refused by the gate.`,
  )
}

function describeBundle(result: BundleImport, { dryRun, merge }: Options): string {
  const written = dryRun ? "Would write" : "Wrote"
  const lines = [`${written} ${count(result.files.length, "file")}.`, ...result.files.map((file) => `  ${file}`)]
  if (merge) lines.push(`${count(result.added.length, "entry", "entries")} new.`)
  for (const id of result.different) lines.push(`${id} is here with another text; it was left as it is.`)
  for (const { name, change } of result.skills) lines.push(`Skill ${name}: ${change}.`)
  if (result.movedTo !== undefined)
    lines.push(`The store that was here is now ${result.movedTo}; "drey undo" leaves it there.`)
  return lines.join("\n")
}

function describeProposals({ format, proposed, known }: ForeignImport, { dryRun }: Options): string {
  const lines = proposed.map(({ type, title, path }) => `  ${type}: ${title}  ${path}`)
  const what = `${dryRun ? "Would propose" : "Proposed"} ${count(proposed.length, "entry", "entries")} (${format}).`
  const old = known.length === 0 ? [] : [`${count(known.length, "entry was", "entries were")} here already.`]
  const next = proposed.length > 0 && !dryRun ? ["Read them in the inbox, then run: drey merge"] : []
  return [what, ...lines, ...old, ...next].join("\n")
}
