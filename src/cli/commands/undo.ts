import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import type { StoreChange } from "../../squad/undo.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print } from "../print.ts"

type Options = CommonOptions & { dryRun?: boolean; list?: boolean }

export function undoCommand(): Command {
  return command(
    "undo",
    "Undo the last change to the team folder by merge, archive, summarize, tidy, scrub, convert-memory, memory write and similar commands. Fails if a file was changed since.",
    "drey undo --list\ndrey undo",
  )
    .option("--dry-run", "show what would be undone and write nothing")
    .option("--list", "list the recorded changes, oldest first")
    .action(undo)
}

async function undo(options: Options): Promise<void> {
  const drey = openDrey(options)
  if (options.list) {
    const changes = await drey.team.changes.list()
    print(
      options,
      () => ({ changes }),
      () => (changes.length === 0 ? "No recorded changes." : changes.map(toLine).join("\n")),
    )
    return
  }
  const undone = await drey.team.changes.undo({ dryRun: options.dryRun === true })
  const verb = options.dryRun ? "Would undo" : "Undid"
  print(
    options,
    () => ({ dryRun: options.dryRun === true, undone }),
    () => (undone.length === 0 ? "Nothing to undo." : undone.map((change) => describe(verb, change)).join("\n")),
  )
}

function describe(verb: string, { command: name, createdAt, files, movedAside }: StoreChange): string {
  const lines = [`${verb} "${name}" of ${createdAt}:`, ...files.map((path) => `  ${path}`)]
  if (movedAside !== undefined)
    lines.push(`The team folder that "${name}" replaced is kept in ${movedAside}; ${backAgain(movedAside)}`)
  if (name === "init")
    lines.push("This also removes Drey's lines from .gitattributes, and the merge driver from git's config.")
  return lines.join("\n")
}

function backAgain(movedAside: string): string {
  return `to restore it, copy its content to ${movedAside.replace(/-archive-.*$/, "")}.`
}

function toLine({ id, command: name, createdAt, files, undone }: StoreChange): string {
  return `${id}  ${createdAt}  ${name.padEnd(14)}  ${count(files.length, "file")}${undone ? "  (undone)" : ""}`
}
