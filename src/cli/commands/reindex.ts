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
    "Rebuild the search index of this checkout from its files. The index is derived, so no data is lost.",
    "drey reindex\ndrey reindex --deep\ndrey reindex --names",
  )
    .option("--deep", "also compute the transformer's vectors; takes minutes for thousands of entries")
    .option("--names", "only check whether the files, commands and symbols named by items still exist")
    .addOption(new Option("--background").hideHelp())
    .action((options: Options) => (options.names ? lookAtNames(options) : rebuild(options)))
}

/** In the background it runs only if it is due. */
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
    `${count(table.items, "item")} with static vectors, ${formatNumber(minilm.items)} with transformer vectors; ${formatNumber(Math.round(stats.bytes / 1024))} KB on disk.`,
  ].join("\n")
}
