import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { ingestGigabyte } from "./learning/gigabyte.ts"
import { type ClientFigures, ingestClient } from "./learning/ingest-client.ts"
import { printLabelled } from "./learning/labelled.ts"
import { printFailures, printLabels, sessionsBelow } from "./learning/labels.ts"
import { listTranscripts } from "./learning/list-transcripts.ts"
import { printPrompts } from "./learning/prompts.ts"
import { runSimulation } from "./learning/simulation.ts"

/**
 * Measures learning: `npm run bench:learning -- <folder with a folder of transcripts per client>`. `--memories` also prints what was
 * learned, to be read by eye; `--labels <folder>` measures against a person's labels of these transcripts, `--list` lists
 * every verdict; `--only clients,labelled,simulation,gigabyte` runs a part, with `--labels` `--only failures`;
 * `--only prompts` measures what a model would be sent for each task.
 */

const args = process.argv.slice(2)
const optionAt = args.indexOf("--only")
const only = optionAt === -1 ? ["clients", "labelled", "simulation", "gigabyte"] : (args[optionAt + 1] ?? "").split(",")
const labelsAt = args.indexOf("--labels")
const labels = labelsAt === -1 ? undefined : args[labelsAt + 1]
const folder = args.find((argument, at) => !argument.startsWith("--") && !args[at - 1]?.match(/^--(?:only|labels)$/))

if (folder !== undefined && labels !== undefined) {
  const print = only.includes("failures") ? printFailures : printLabels
  await print(folder, labels, { listed: args.includes("--list") })
  process.exit(0)
}

if (folder !== undefined && only.includes("prompts")) printPrompts(await sessionsBelow(folder))
if (only.includes("clients")) {
  if (folder === undefined || !existsSync(folder)) {
    console.error("Name a folder of transcripts: npm run bench:learning -- <folder>")
    process.exit(2)
  }
  const all: ClientFigures[] = []
  for (const client of readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory())) {
    const transcripts = listTranscripts(join(folder, client))
    if (transcripts.length > 0) all.push(await ingestClient(client, transcripts))
  }
  for (const figures of all) printClient(figures)
  printTotals(all)
}
if (only.includes("labelled")) await printLabelled()
if (only.includes("simulation")) runSimulation()
if (only.includes("gigabyte")) {
  const { megabytes, seconds, peakMegabytes, said } = await ingestGigabyte()
  console.log(`\nOne transcript of ${megabytes} MB: ${said}`)
  console.log(
    `  ${(megabytes / seconds).toFixed(0)} MB/s, ${peakMegabytes.toFixed(0)} MB of memory at most (goal: under 250)`,
  )
}

function printClient(figures: ClientFigures): void {
  const { client, files, megabytes, human, calls, errors, tests, ingestion, memories, writer, junk, passes } = figures
  const { learned } = ingestion
  console.log(`\n## ${client}: ${files} files, ${megabytes.toFixed(1)} MB`)
  console.log(`  crashes ${figures.crashed.length}, files that could not be read ${ingestion.unreadable.length}`)
  for (const { path, error } of figures.crashed) console.log(`    crashed: ${path}: ${error}`)
  for (const { path, message } of ingestion.unreadable) console.log(`    not read: ${path}: ${message}`)
  console.log(`  records ${ingestion.records}, unknown ${tally(ingestion.unknown)}`)
  console.log(
    `  human messages ${human}, tool calls ${calls}, errors ${errors}, test runs ${tests.passed + tests.failed} (${tests.passed} passed, ${tests.failed} failed)`,
  )
  console.log(
    `  episodes ${ingestion.episodes}: ${tally(ingestion.flushed)}; ${learned.skipped.length} with nothing to teach`,
  )
  const kinds: Record<string, number> = {}
  for (const { kind } of memories) kinds[kind] = (kinds[kind] ?? 0) + 1
  console.log(`  memories ${memories.length} by ${writer}: ${tally(kinds)}`)
  console.log(
    `  junk: ${junk.duplicates.length} duplicates, ${junk.injections.length} injected, ${junk.secrets.length} secrets, ${junk.singleUse.length} of one moment`,
  )
  console.log(`  ${speed(megabytes, passes)}`)
  if (args.includes("--memories"))
    for (const { kind, key, confidence, text } of memories)
      console.log(`    ${kind}${key ? ` ${key}` : ""} ${confidence}: ${text}`)
  if (args.includes("--junk"))
    for (const [name, texts] of Object.entries(junk)) for (const text of texts) console.log(`    ${name}: ${text}`)
}

function printTotals(all: readonly ClientFigures[]): void {
  const sum = (of: (figures: ClientFigures) => number) => all.reduce((total, figures) => total + of(figures), 0)
  const memories = sum((each) => each.memories.length)
  const duplicates = sum(({ junk }) => junk.duplicates.length)
  const share = memories === 0 ? 0 : (100 * duplicates) / memories
  const crashes = sum(({ crashed }) => crashed.length)
  const unread = sum(({ ingestion }) => ingestion.unreadable.length)
  console.log(`\n## All: ${sum(({ files }) => files)} files, ${sum((each) => each.megabytes).toFixed(1)} MB`)
  console.log(`  crashes ${crashes} (goal: 0), files that could not be read ${unread}`)
  console.log(
    `  memories ${memories}; duplicates ${share.toFixed(1)} % (goal: under 2), injected ${sum(({ junk }) => junk.injections.length)} (goal: 0), secrets ${sum(({ junk }) => junk.secrets.length)} (goal: 0), of one moment ${sum(({ junk }) => junk.singleUse.length)}`,
  )
  const passes = (all[0]?.passes ?? []).map((_, at) => ({
    reading: sum((each) => each.passes[at]?.reading ?? 0),
    learning: sum((each) => each.passes[at]?.learning ?? 0),
    parsing: sum((each) => each.passes[at]?.parsing ?? 0),
  }))
  const megabytes = sum((each) => each.megabytes)
  console.log(`  ${speed(megabytes, passes)} (goal: 60 MB/s, or within 3 times)`)
}

/** The first pass compiles the code it runs; the last one shows what a larger history costs. */
function speed(megabytes: number, passes: ClientFigures["passes"]): string {
  const tell = ({ reading, learning, parsing }: ClientFigures["passes"][number]) =>
    `reading ${(megabytes / reading).toFixed(0)} MB per CPU second, ${(reading / parsing).toFixed(1)} times JSON.parse over the same lines, learning ${learning.toFixed(2)} s`
  const [first, last] = [passes[0], passes.at(-1)]
  return first && last ? `first pass: ${tell(first)}; warm: ${tell(last)}` : ""
}

function tally(counts: Record<string, number>): string {
  const parts = Object.entries(counts).sort(([, one], [, other]) => other - one)
  return parts.length === 0 ? "none" : parts.map(([name, number]) => `${name} ${number}`).join(", ")
}
