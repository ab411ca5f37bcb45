import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { command } from "../command.ts"
import { type CommonOptions, print, tell } from "../print.ts"
import { summaryLine } from "../show-session.ts"

type Options = CommonOptions & { active?: boolean }

export function sessionListCommand(): Command {
  return command("list", "List the sessions of this repository, the newest first.", "drey session list --active")
    .option("--active", "only open sessions")
    .action(list)
}

async function list(options: Options): Promise<void> {
  const sessions = openDrey(options).sessions
  const found = await sessions.list({ active: options.active === true })
  print(
    options,
    () => found,
    () => found.map(summaryLine).join("\n"),
  )
  if (found.length === 0 && !options.json)
    tell(options.active ? "No open sessions." : `No sessions in ${sessions.folder}.`)
  for (const each of found) {
    if (each.kind !== "unreadable") continue
    tell(`drey: ${each.id} cannot be read: ${each.problem}`)
    process.exitCode = exitCode.no
  }
}
