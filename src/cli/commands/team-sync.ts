import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { syncText, tellProblem } from "../show-team.ts"

type Options = CommonOptions & { background?: boolean }

export function teamSyncCommand(): Command {
  return command(
    "sync",
    "Sync with the team server: send local changes and fetch the team's. Runs automatically every five minutes while drey watch, drey mcp or drey ui run, and after drey context.",
    "drey team sync",
  )
    .addOption(new Option("--background").hideHelp())
    .action(sync)
}

async function sync(options: Options): Promise<void> {
  const drey = openDrey(options)
  const team = drey.server
  if (options.background) await team.syncIfFree() // errors are shown by `team status`
  const syncing = options.background ? undefined : await team.sync()
  await drey.close()
  if (!syncing) return
  print(
    options,
    () => ({ ...syncing, problem: syncing.problem ?? null }),
    () => syncText(syncing),
  )
  tellProblem(syncing.problem)
  if (syncing.problem || syncing.refused.length > 0) process.exitCode = exitCode.no
}
