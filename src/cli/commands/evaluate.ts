import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { colors } from "../colors.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print } from "../print.ts"
import { graduationText } from "../show-learning.ts"

type Options = CommonOptions & { dryRun?: boolean }

export function evaluateCommand(): Command {
  return command(
    "evaluate",
    "Promote or retire learned memories based on results: promotes memories that helped, retires those that went unused or expired, and prints the reason for each. Also runs automatically every few episodes.",
    "drey evaluate --dry-run\ndrey evaluate --json",
  )
    .option("--dry-run", "show the decisions and what would be proposed, and change nothing")
    .action(evaluate)
}

async function evaluate(options: Options): Promise<void> {
  const drey = openDrey(options)
  const { decisions, graduation } = await drey.memories.evaluate({ dryRun: options.dryRun === true })
  await drey.close()
  print(
    options,
    () => ({ decisions: decisions.map(({ memory, ...decision }) => ({ id: memory, ...decision })), graduation }),
    () => {
      const lines = decisions.map(
        ({ memory, result, reason }) => `${colors.bold(result.padEnd(9))} ${memory}  ${reason}`,
      )
      const verb = options.dryRun ? "would change" : "changed"
      return [
        ...lines,
        decisions.length === 0 ? "Nothing is due." : `${count(decisions.length, "memory", "memories")} ${verb}.`,
        ...graduationText(graduation, { dryRun: options.dryRun === true }),
      ].join("\n")
    },
  )
}
