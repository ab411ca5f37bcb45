import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import type { CommonOptions } from "../print.ts"
import { showShare } from "./team-share.ts"

type Options = CommonOptions & { reason?: string }

export function teamUnshareCommand(): Command {
  return command(
    "unshare",
    "Withdraw a shared memory: the team's copy is retired for everyone, your own memory stays. Allowed for the member who shared it and for admins. Offline, it is sent with the next sync.",
    "drey team unshare m:4f2a91",
  )
    .argument("<ids...>", "your own memory, or the team's copy of it")
    .option("--reason <words>", "reason for the team's audit log")
    .action(unshare)
}

async function unshare(ids: string[], options: Options): Promise<void> {
  const drey = openDrey(options)
  const { reason } = options
  const result = await drey.server.unshare(ids, reason === undefined ? {} : { reason })
  await drey.close()
  showShare(options, result)
}
