import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import type { CommonOptions } from "../print.ts"
import { showShare } from "./team-share.ts"

type Options = CommonOptions & { reason?: string }

export function teamUnshareCommand(): Command {
  return command(
    "unshare",
    "Take back what you shared: the team's copy ends for everybody, your own memory stays. Whoever shared it may do so, and admins. Offline it waits for the next sync; what was never sent is not sent.",
    "drey team unshare m:4f2a91",
  )
    .argument("<ids...>", "your own memory, or the team's copy of it")
    .option("--reason <words>", "for the team's record")
    .action(unshare)
}

async function unshare(ids: string[], options: Options): Promise<void> {
  const drey = openDrey(options)
  const { reason } = options
  const result = await drey.server.unshare(ids, reason === undefined ? {} : { reason })
  await drey.close()
  showShare(options, result)
}
