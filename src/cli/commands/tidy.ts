import { type Command, Option } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { removeInvisible } from "../../formats/text.ts"
import { actingAgent } from "../../hooks/acting-agent.ts"
import type { AvailableUndo } from "../../team/edit/item-edit.ts"
import type { TidyResult } from "../../team/team-tidy.ts"
import type { StoreChange } from "../../team/undo.ts"
import { command, writingCommand } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { colors, writeJson } from "../output.ts"
import { type CommonOptions, count, listLine, localMinute, print, printNotice } from "../print.ts"

type Options = TidyCommandOptions & {
  consolidate?: boolean
  quarterly?: boolean
  pruneLogs?: boolean
  /** Set for the process that a hook starts after a session. */
  background?: boolean
}

export function tidyCommand(): Command {
  return writingCommand(
    "tidy",
    "Merge, archive and summarize in one change, and move logs older than 7 days to an archive. Exit code 1 when a file needs review or has a problem.",
    "drey tidy --dry-run\ndrey tidy --json",
  )
    .option("--dry-run", "show the plan, with the tokens it saves each agent, and write nothing")
    .option("--consolidate", "combine near-duplicates into one entry; the originals move to the archive")
    .option("--quarterly", "one archive of decisions per quarter")
    .option("--prune-logs", "delete old logs instead of moving them to an archive folder")
    .addOption(new Option("--background").hideHelp())
    .action((options: Options) => (options.background ? keepUp(options) : tidy(options)))
}

/** Upkeep after a session; the index, guards and staleness notes are refreshed afterwards. */
async function keepUp(options: Options): Promise<void> {
  const drey = openDrey({ ...options, automatic: true })
  const upkeep = await drey.team.upkeep.run()
  await drey.context.compileGuards()
  await drey.memories.staleness.refresh()
  await drey.close()
  writeJson(upkeep, 0)
}

async function tidy(options: Options): Promise<void> {
  const { consolidate = false, quarterly = false, pruneLogs = false, dryRun = false } = options
  showTidy(
    options,
    await openDrey({ ...options, agent: actingAgent(process.env) }).team.tidy({
      consolidate,
      quarterly,
      pruneLogs,
      dryRun,
    }),
  )
}

type OptionsMerge = TidyCommandOptions & { consolidate?: boolean; acceptReview?: boolean }

export function mergeCommand(): Command {
  return writingCommand(
    "merge",
    "Merge agents' decisions and notes from the inbox into decisions.md. Rules, imports, learned memories and contradictions wait until you accept them. Exit code 1 when a file needs review or has a problem.",
    "drey merge --dry-run\ndrey merge --consolidate",
  )
    .option("--dry-run", "show the plan and write nothing")
    .option("--consolidate", "combine near-duplicates into one entry; the originals move to the archive")
    .option("--accept-review", "also accept everything that needs your review; read it first")
    .action(merge)
}

async function merge(options: OptionsMerge): Promise<void> {
  const { consolidate = false, acceptReview = false, dryRun = false } = options
  showTidy(
    options,
    await openDrey({ ...options, agent: actingAgent(process.env) }).team.merge({ consolidate, acceptReview, dryRun }),
  )
}

type OptionsArchive = TidyCommandOptions & { quarterly?: boolean }

export function archiveCommand(): Command {
  return writingCommand(
    "archive",
    "Make a decisions.md of 20 KB or more smaller: move superseded entries and notes to the archive, then the least used decisions and rules. Moved entries are still found.",
    "drey archive --dry-run\ndrey archive --quarterly",
  )
    .option("--dry-run", "show the plan and write nothing")
    .option("--quarterly", "one archive per quarter, decisions/archive/2026-Q1.md, instead of decisions-archive.md")
    .action(archive)
}

async function archive(options: OptionsArchive): Promise<void> {
  const { quarterly = false, dryRun = false } = options
  showTidy(options, await openDrey(options).team.archive({ quarterly, dryRun }))
}

export function summarizeCommand(): Command {
  return writingCommand(
    "summarize",
    "Shorten histories of more than 12 KB: move the oldest parts to history-archive.md, where search still finds them, and leave a summary.",
    "drey summarize --dry-run",
  )
    .option("--dry-run", "show the plan and write nothing")
    .action(summarize)
}

async function summarize(options: TidyCommandOptions): Promise<void> {
  showTidy(options, await openDrey(options).team.summarize({ dryRun: options.dryRun === true }))
}

type TidyCommandOptions = CommonOptions & { dryRun?: boolean }

/** Prints the result of merge, archive, summarize or tidy. Exit code 1 if something needs review. */
function showTidy(options: TidyCommandOptions, result: TidyResult): void {
  print(
    options,
    () => ({ dryRun: options.dryRun === true, ...result }),
    () => toText(options, result),
  )
  for (const refusal of result.refused) printNotice(`drey: ${refusal}`)
  for (const { path, why, waits } of result.left)
    printNotice(waits ? `drey: ${path} needs review: ${why}` : `drey: ${path} stays in the inbox: ${why}`)
  if (result.left.some(({ waits }) => waits)) printNotice("drey: Review them: drey inbox")
  for (const { to, lines } of result.quarantined)
    for (const { line, reason, rule } of lines) printNotice(`drey: ${to}:${line} was quarantined: ${reason} (${rule})`)
  const open = result.refused.length + result.left.length + result.quarantined.length
  if (open > 0) process.exitCode = exitCode.no
}

function toText(options: TidyCommandOptions, result: TidyResult): string {
  const lines = result.actions.map(({ type, target, description, bytesSaved }) => {
    const saved = bytesSaved > 0 ? colors.dim(` (${count(bytesSaved, "byte")} saved)`) : ""
    return `${colors.green(type.padEnd(8))} ${target}: ${description}${saved}`
  })
  for (const { titles, similarity } of result.nearDuplicates)
    lines.push(`${colors.yellow("similar ")} "${titles[0]}" and "${titles[1]}" (${Math.round(similarity * 100)} %)`)
  for (const note of result.notes) lines.push(`${colors.yellow("note    ")} ${note}`)
  if (result.actions.length === 0) lines.push("Nothing to do.")
  const agents = result.agents.filter(({ tokensSaved }) => tokensSaved !== 0)
  if (agents.length > 0) lines.push("", "Size for an agent that reads the whole files, without Drey:")
  for (const { agent, bytesBefore, bytesAfter, tokensSaved } of agents) {
    const change = `${count(bytesBefore, "byte")} → ${count(bytesAfter, "byte")}`
    lines.push(`  ${agent.padEnd(16)} ${change}, ${saving(tokensSaved)}`)
  }
  if (options.dryRun && result.actions.length > 0) lines.push("", "Run without --dry-run to apply it.")
  else if (result.actions.length > 0) lines.push("", 'Undo it with "drey undo".')
  return lines.join("\n")
}

function saving(tokens: number): string {
  return tokens > 0 ? `${count(tokens, "token")} saved` : `${count(-tokens, "token")} more`
}

type OptionsUndo = CommonOptions & { dryRun?: boolean; list?: boolean; limit?: string }

export function undoCommand(): Command {
  return writingCommand(
    "undo",
    "Undo the last change: of the team folder by any command, or an edit of a learned memory. Fails if a file was changed since.",
    "drey undo\ndrey undo --list -n 5",
  )
    .option("--dry-run", "show what would be undone and write nothing")
    .option("--list", "list the recorded changes, newest first")
    .option("-n, --limit <number>", "with --list: only the newest")
    .action(undo)
}

async function undo(options: OptionsUndo): Promise<void> {
  const drey = openDrey(options)
  if (options.list) {
    const most = options.limit === undefined ? undefined : parseCount(options.limit, "changes", 1, 100_000)
    const changes = (await drey.team.changes.list()).reverse().slice(0, most)
    print(
      options,
      () => ({ changes }),
      () => (changes.length === 0 ? "No recorded changes." : changes.map(toLine).join("\n")),
    )
    return
  }
  const learned = drey.hasTeamFolder ? await drey.team.editor.nextUndo() : undefined
  if (learned?.key.startsWith("learned:")) return undoLearned(drey, learned, options)
  const undone = await drey.team.changes.undo({ dryRun: options.dryRun === true })
  const verb = options.dryRun ? "Would undo" : "Undid"
  print(
    options,
    () => ({ dryRun: options.dryRun === true, undone }),
    () => (undone.length === 0 ? "Nothing to undo." : undone.map((change) => describe(verb, change)).join("\n")),
  )
}

async function undoLearned(drey: Drey, { key, summary, at }: AvailableUndo, options: OptionsUndo): Promise<void> {
  const outcome = options.dryRun ? undefined : await drey.team.editor.undo(key)
  await drey.close()
  if (outcome && outcome.kind !== "done")
    throw new DreyError("Nothing was undone: the memory was changed since", { exitCode: exitCode.no })
  print(
    options,
    () => ({ dryRun: options.dryRun === true, undone: [{ id: key, command: summary, createdAt: at, files: [] }] }),
    () => `${options.dryRun ? "Would undo" : "Undid"} ${removeInvisible(summary)}`,
  )
}

function describe(verb: string, { command: name, createdAt, files, movedAside }: StoreChange): string {
  const lines = [`${verb} "${name}" of ${localMinute(createdAt)}:`, ...files.map((path) => `  ${path}`)]
  if (movedAside !== undefined)
    lines.push(`The team folder that "${name}" replaced is kept in ${movedAside}; ${backAgain(movedAside)}`)
  if (name === "init")
    lines.push("This also removes Drey's lines from .gitattributes, and the merge driver from git's config.")
  return lines.join("\n")
}

function backAgain(movedAside: string): string {
  return `to restore it, copy its content to ${movedAside.replace(/-archive-.*$/, "")}.`
}

function toLine({ command: name, createdAt, files, undone }: StoreChange): string {
  const more = files.length > 1 ? ` and ${files.length - 1} more` : ""
  return listLine(
    `${localMinute(createdAt)}  ${name.padEnd(14)} `,
    `${files[0] ?? ""}${more}${undone ? "  (undone)" : ""}`,
  )
}

export function mergeDriverCommand(): Command {
  return command(
    "merge-driver",
    "Merge one file for git; `drey init` registers it as a merge driver. Entries are merged by id; if both sides changed an entry, both versions are kept and `drey validate` reports it.",
    "git config merge.drey.driver 'drey merge-driver %O %A %B %P'",
  )
    .argument("<ancestor>", "the common ancestor's version (%O)")
    .argument("<ours>", "our version, which is replaced by the result (%A)")
    .argument("<theirs>", "their version (%B)")
    .argument("<path>", "the file's path in the repository (%P)")
    .action(mergeFile)
}

async function mergeFile(
  ancestor: string,
  ours: string,
  theirs: string,
  path: string,
  options: CommonOptions,
): Promise<void> {
  await openDrey(options).team.mergeForGit({ ancestor, ours, theirs, path })
}
