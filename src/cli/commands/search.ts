import { type Command, Option } from "commander"
import { isRunByAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { querySources } from "../../formats/query.ts"
import { command } from "../command.ts"
import { type SearchOptions, showResults } from "../show-results.ts"

export function searchCommand(): Command {
  return command(
    "search",
    "Search everything the team remembers: decisions, inbox, archives, histories, skills, governed and learned memory, and the notes of sessions, by words and by meaning, best first.",
    'drey search "database choices" --all\ndrey search authentication --agent kane\ndrey search \'type:decision after:2026-02-01 "single quotes"\' --json',
  )
    .argument(
      "<text...>",
      'words, "a phrase", -not, and filters such as type:decision author:Kane tag:api after:2026-02-01',
    )
    .option("--agent <name>", "only what this agent remembers")
    .addOption(new Option("--source <source>", "only what stands there").choices(querySources))
    .option("--all", "archived and superseded items too")
    .option("--as-of <date>", "the memory as it stood at that time")
    .option("--limit <number>", "how many results at most", "20")
    .action((words: string[], options: SearchOptions) =>
      showResults(openDrey({ ...options, automatic: isRunByAgent() }), words, options),
    )
}
