import { type Command, Option } from "commander"
import { isRunByAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { querySources } from "../../formats/query.ts"
import { command } from "../command.ts"
import { type SearchOptions, showResults } from "../show-results.ts"

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
    .option("--limit <number>", "maximum number of results", "20")
    .action((words: string[], options: SearchOptions) =>
      showResults(openDrey({ ...options, automatic: isRunByAgent() }), words, options),
    )
}
