import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"

type Options = CommonOptions & { off?: boolean }

export function pinCommand(): Command {
  return command(
    "pin",
    "Keep a learned memory whatever its use says: it is never ended or expired by itself.",
    "drey pin m:4f2a91\ndrey pin m:4f2a91 --off",
  )
    .argument("<id>", "the memory, by id or handle")
    .option("--off", "let it be judged by its use again")
    .action(async (id: string, options: Options) => {
      const drey = openDrey(options)
      await drey.memories.pin(id, options.off !== true)
      await drey.close()
      print(
        options,
        () => ({ id, pinned: options.off !== true }),
        () => (options.off ? `${id} is judged by its use again.` : `${id} stays.`),
      )
    })
}
