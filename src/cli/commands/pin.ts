import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"

type Options = CommonOptions & { off?: boolean }

export function pinCommand(): Command {
  return command(
    "pin",
    "Keep a learned memory even if it goes unused: it never expires and is never retired automatically.",
    "drey pin m:4f2a91\ndrey pin m:4f2a91 --off",
  )
    .argument("<id>", "the memory, by id or handle")
    .option("--off", "unpin it: it can expire or be retired again")
    .action(async (id: string, options: Options) => {
      const drey = openDrey(options)
      await drey.memories.pin(id, options.off !== true)
      await drey.close()
      print(
        options,
        () => ({ id, pinned: options.off !== true }),
        () => (options.off ? `Unpinned ${id}.` : `Pinned ${id}.`),
      )
    })
}
