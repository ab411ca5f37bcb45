import type { Command } from "commander"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, requireText, runMemory } from "../memory-face.ts"

type Options = MemoryCommandOptions & {
  query?: string
  class?: string
  type?: string
  author?: string
  after?: string
  before?: string
  recent?: string
  tags?: string
  scope?: string
  source?: string
  agent?: string
  all?: boolean
}

export function memorySearchCommand(face: MemoryFace): Command {
  return memorySubcommand(
    "search",
    "Find memories, entries and skills by their words, in any order.",
    "drey memory search regression Vitest\ndrey memory search '\"API design\"' --source decisions\ndrey memory search authentication --agent kane",
  )
    .argument("[words...]", 'words, word prefixes, "phrases", -excluded')
    .option("--query <text>", "the query, instead of the words")
    .optionsGroup("Filters:")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--type <type>", "decision, directive, memory or note")
    .option("--author <name>", "only entries by this person or agent")
    .option("--after <date>", "on or after this date or time")
    .option("--before <date>", "before this date or time")
    .option("--recent <time>", "within the last 24h, 7d, 2w or 3m")
    .option("--tags <tags>", "comma-separated; results must have all of them")
    .option("--scope <scope>", "team, project, agent:<name> or skill:<name>")
    .option("--source <source>", "memory, policy, decisions, inbox, archive, history or skills")
    .option("--agent <name>", "only this agent's memory")
    .option("--all", "include archived and superseded items")
    .action((words: string[], options: Options) =>
      runMemory(face, "search", options, async (memory, log) => {
        const query = requireText(options.query, words, "drey memory search <words>")
        log("debug", "search.request", { queryLength: query.length })
        const started = performance.now()
        const { query: _, tags, ...filters } = options
        const results = await memory.search(query, { ...filters, tags: tags?.split(",").map((tag) => tag.trim()) })
        const providers = [...new Set(results.map(({ provider }) => provider))].join(",") || "none"
        const elapsedMs = Math.round(performance.now() - started)
        log("info", "search.complete", { count: results.length, providers, elapsedMs })
        return { document: results }
      }),
    )
}
