import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { ShareResult } from "../../team/client/push-shares.ts"
import { askYesNo } from "../ask.ts"
import { command } from "../command.ts"
import { type CommonOptions, print, tell } from "../print.ts"
import { planText, shareText } from "../show-team.ts"

type Options = CommonOptions & { team?: string; yes?: boolean }

export function teamShareCommand(): Command {
  return command(
    "share",
    "Share memories with your team: shows what would be sent and asks first. The team gets a copy under your name. Memories that contain a secret are not sent. Offline, they are sent with the next sync.",
    "drey team share m:4f2a91\ndrey team share m:4f2a91 m:77c0de --team payments --yes",
  )
    .argument("<ids...>", "ids or handles of learned memories")
    .option("--team <name>", "one of your teams; default: the whole organisation")
    .option("-y, --yes", "do not ask")
    .action(share)
}

async function share(ids: string[], options: Options): Promise<void> {
  const drey = openDrey(options)
  const team = drey.server
  const plan = await team.planShare(ids, { team: options.team })
  const isWanted = plan.memories.some(({ kind }) => kind === "ready")
  tell(planText(plan))
  if (isWanted && !options.yes && !(await askYesNo("Share this?")))
    throw new DreyError("Nothing was shared", {
      exitCode: exitCode.no,
      ...(process.stdin.isTTY ? {} : { hint: "Confirm with --yes." }),
    })
  const result = await team.share(plan)
  await drey.close()
  showShare(options, result)
}

/** Exit code 1 if the server refused a memory. */
export function showShare(options: CommonOptions, result: ShareResult): void {
  print(
    options,
    () => ({ ...result, waiting: result.waiting ?? null }),
    () => shareText(result),
  )
  if (result.refused.length > 0) process.exitCode = exitCode.no
}
