import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { statusText } from "../show-team.ts"

export function teamStatusCommand(): Command {
  return command(
    "status",
    "Show the team you are signed in to, the last sync, pending changes, the number of team memories here, and any problem. Works offline.",
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
