import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import type { Reindexing } from "../../recall/reindex.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, formatNumber, print } from "../print.ts"
import { progressBar } from "../progress.ts"
import { namesText } from "../show-names.ts"
import { tellTrouble } from "../tell-trouble.ts"

type Options = CommonOptions & {
  deep?: boolean
  names?: boolean
  /** Set for the process that a hook starts. */
  background?: boolean
}

export function reindexCommand(): Command {
  return command(
    "reindex",
    "Build the search index of this checkout anew from its files. It is derived: nothing is lost with it.",
    "drey reindex\ndrey reindex --deep\ndrey reindex --names",
  )
    .option("--deep", "also compute the transformer's vectors, which takes minutes for thousands of entries")
    .option("--names", "only look again whether the files, commands and symbols that items name are still there")
    .addOption(new Option("--background").hideHelp())
    .action((options: Options) => (options.names ? lookAtNames(options) : rebuild(options)))
}

/** In the background only where it is due. */
async function lookAtNames(options: Options): Promise<void> {
  const drey = openDrey(options)
  const staleness = drey.memories.staleness
  if (options.background) await staleness.refresh()
  else {
    const report = await staleness.judge()
    print(
      options,
      () => report,
      () => namesText(report),
    )
  }
  await drey.close()
}

async function rebuild(options: Options): Promise<void> {
  const bar = progressBar("Embedding")
  const reindexing = await openDrey(options).search.reindex({ deep: options.deep === true, progress: bar.update })
  bar.end()
  print(
    options,
    () => reindexing,
    () => toText(reindexing),
  )
  tellTrouble(reindexing)
}

function toText({ stats, seconds }: Reindexing): string {
  const sources = Object.entries(stats.sources).map(([source, items]) => `${formatNumber(items)} in ${source}`)
  const { static: table, minilm } = stats.vectors
  return [
    `${count(stats.items, "item")} indexed in ${seconds.toFixed(1)} s: ${sources.join(", ")}.`,
    `${count(table.items, "item")} with a vector of the table, ${formatNumber(minilm.items)} with one of the transformer; ${formatNumber(Math.round(stats.bytes / 1024))} KB on disk.`,
  ].join("\n")
}
