import type { Command } from "commander"
import { isRunByAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type ContextOptions, showContext } from "../show-context.ts"

export function contextCommand(): Command {
  return command(
    "context",
    "Hand an agent what it needs for a task: the team's rules, then every active entry that fits a budget of tokens, the most relevant first, each with its source.",
    'drey context --agent kane --task "Add a refresh token to the login"\ndrey context --task "Rename the API routes" --path src/api --budget 1000 --explain',
  )
    .argument("[task...]", "the task, instead of --task")
    .option("--agent <name>", "whose history may be handed out; without it, none is included")
    .option("--task <text>", "what is to be done; without it the rules and the newest entries")
    .option("--budget <tokens>", "how much it may take at most", "2000")
    .option("--path <path...>", "files or folders the task is about")
    .option(
      "--session <id>",
      "the client's session in which the task is done: the same task asked for again in it counts once",
    )
    .option("--explain", "every item that was looked at: its signals, score, rule and cost")
    .action((words: string[], options: ContextOptions) =>
      showContext(openDrey({ ...options, automatic: isRunByAgent() }), words, options),
    )
}
