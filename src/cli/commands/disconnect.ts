import type { Command } from "commander"
import type { WiringScope } from "../../clients/wiring.ts"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { disconnectDocument, disconnectText } from "../show-connect.ts"
import { scopeOption, thisProgram } from "./connect.ts"

type Options = CommonOptions & { scope?: WiringScope; dryRun?: boolean }

export function disconnectCommand(): Command {
  return command(
    "disconnect",
    "Undo connect: restore every file exactly, and remove files that connect created. From a file that was edited since, only Drey's part is removed.",
    "drey disconnect --dry-run\ndrey disconnect\ndrey disconnect codex",
  )
    .argument("[clients...]", "which clients; default: all")
    .addOption(scopeOption("default: both"))
    .option("--dry-run", "show what would be done and write nothing")
    .action(disconnect)
}

async function disconnect(clients: string[], options: Options): Promise<void> {
  const drey = openDrey(options)
  const connections = drey.clients.as(thisProgram())
  const plan = await connections.planDisconnect({
    clients,
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  })
  const results = options.dryRun ? [] : await connections.disconnect(plan)
  await drey.close()
  const place = { root: drey.root, home: process.env.HOME }
  print(
    options,
    () => disconnectDocument(plan, results, options.dryRun === true),
    () => disconnectText(plan, results, place, options.dryRun === true),
  )
  const isLeft = plan.files.some(({ change }) => change === "left") || results.some(({ problem }) => problem)
  if (isLeft) process.exitCode = exitCode.no
}
