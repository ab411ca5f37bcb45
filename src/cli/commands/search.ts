import { type Command, Option } from "commander"
import { isRunByAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { querySources } from "../../formats/query.ts"
import { command } from "../command.ts"
import { type ContextOptions, showContext } from "../context-output.ts"
import { type SearchOptions, showResults } from "../search-output.ts"

export function searchCommand(): Command {
  return command(
    "search",
    "Search the team's memory by words and meaning, best match first: decisions, inbox, archives, histories, skills, governed and learned memory, and session notes.",
    'drey search "database choices" --all\ndrey search authentication --agent kane\ndrey search \'type:decision after:2026-02-01 "single quotes"\' --json',
  )
    .argument(
      "<text...>",
      'words, "a phrase", -not, and filters such as type:decision author:Kane tag:api after:2026-02-01',
    )
    .option("--agent <name>", "only this agent's memory")
    .addOption(new Option("--source <source>", "only results from this source").choices(querySources))
    .option("--all", "include archived and superseded items")
    .option("--as-of <date>", "the memory as of this date or time")
    .option("-n, --limit <number>", "maximum number of results", "20")
    .option("--since <time>", "since this date or time, or within the last 24h, 7d, 2w or 3m")
    .option("-q, --quiet", "print only the ids")
    .action((words: string[], options: SearchOptions) =>
      showResults(openDrey({ ...options, automatic: isRunByAgent() }), words, options),
    )
}

export function contextCommand(): Command {
  return command(
    "context",
    "Hand an agent what it needs for a task: the team's rules, then every active entry that fits a budget of tokens, the most relevant first, each with its source.",
    'drey context --agent kane --task "Add a refresh token to the login"\ndrey context --task "Rename the API routes" --path src/api --budget 1000 --explain',
  )
    .argument("[task...]", "the task, instead of --task")
    .option("--agent <name>", "include this agent's history; default: none")
    .option("--task <text>", "what the agent will do; default: the rules and the newest entries")
    .option("--budget <tokens>", "maximum size", "2000")
    .option("--path <path...>", "files or folders the task is about")
    .option("--session <id>", "the client's session: a task that is requested again in the same session counts once")
    .option(
      "--explain",
      "show every candidate with its signals, score, reason and token cost (preview; not counted as use)",
    )
    .action((words: string[], options: ContextOptions) =>
      showContext(openDrey({ ...options, automatic: isRunByAgent() }), words, options),
    )
}
