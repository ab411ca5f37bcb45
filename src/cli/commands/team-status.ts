import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { statusText } from "../show-team.ts"

export function teamStatusCommand(): Command {
  return command(
    "status",
    "Tell which team you are signed in to, when it was last synced, what waits to be sent, how many memories of the team are here, and what stands in the way. Asks nobody, so it works offline.",
    "drey team status\ndrey team status --json",
  ).action(showStatus)
}

async function showStatus(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const status = await drey.server.status()
  await drey.close()
  print(
    options,
    () => status,
    () => statusText(status),
  )
  if (status.kind === "signed out" || status.problem) process.exitCode = exitCode.no
}
