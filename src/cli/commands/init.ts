import type { Command } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import type { Ingestion } from "../../learning/ingest.ts"
import type { SetUpPlan, SetUpStep } from "../../squad/init/set-up-store.ts"
import { colors } from "../colors.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print } from "../print.ts"
import { ingestBars, ingestDocument, ingestText } from "../show-learning.ts"

export type SetUpFlags = CommonOptions & { dryRun?: boolean; force?: boolean; skipHistory?: boolean }

export function initCommand(): Command {
  return command(
    "init",
    "Set up a repository's team folder: decisions, inbox, memory policy, skills, entry templates, git's merge driver. Adds what is missing and changes nothing that is there. Then learns from the transcripts that coding agents have left of this project.",
    "drey init\ndrey init --dry-run",
  )
    .option("--dry-run", "show what would be done and write nothing")
    .option("--skip-history", "do not learn from earlier transcripts; drey replay does it later")
    .action((options: SetUpFlags) => setUp("init", options))
}

/** Plans, shows and does what `init` and `upgrade` do. */
export async function setUp(name: "init" | "upgrade", options: SetUpFlags): Promise<void> {
  const drey = openDrey(options)
  const plan = await drey.planSetUp({ command: name, force: options.force === true })
  const planned = [...plan.steps, ...(plan.git ?? [])]
  const steps = options.dryRun ? planned : (await drey.applySetUp(plan)).steps
  const withHistory = name === "init" && !options.dryRun && !options.skipHistory
  const history = withHistory ? await learnFromHistory(drey) : undefined
  await drey.close()
  print(
    options,
    () => ({
      folder: plan.folder.name,
      dryRun: options.dryRun === true,
      git: plan.git !== undefined,
      files: steps,
      legacy: plan.legacy,
      ...(history ? { history: ingestDocument(history) } : {}),
    }),
    () => [toText(plan, steps, options), ...(history ? ["", ingestText(history)] : [])].join("\n"),
  )
}

/** Undefined where no coding agent has left a transcript of this project. */
async function learnFromHistory(drey: Drey): Promise<Ingestion | undefined> {
  const bars = ingestBars()
  const ingestion = await (await drey.learning()).ingest({ progress: bars.progress })
  bars.end()
  return ingestion.records > 0 ? ingestion : undefined
}

function toText({ command: name, folder, git, legacy }: SetUpPlan, steps: SetUpStep[], options: SetUpFlags): string {
  const lines = steps.map(toLine)
  const changed = steps.filter(({ change }) => change !== "kept").length
  lines.push(
    "",
    changed === 0 ? `${folder.name} has everything already; nothing to do.` : `${count(changed, "change")}.`,
  )
  if (git === undefined)
    lines.push(`There is no git here, so no merge driver was installed. Run "drey ${name}" again after "git init".`)
  const legacyEntries = legacy.convertible + legacy.review
  if (legacyEntries > 0) {
    lines.push(
      `${count(legacyEntries, "entry is", "entries are")} in a legacy style; "drey convert-memory" would convert ${legacy.convertible} and ask about ${legacy.review}.`,
    )
  }
  if (options.dryRun && changed > 0) lines.push("Run without --dry-run to do it.")
  return lines.join("\n")
}

const paint = { created: colors.green, updated: colors.yellow, kept: colors.dim }

function toLine({ path, change, reason }: SetUpStep): string {
  return `${paint[change](change.padEnd(7))}  ${path}  ${colors.dim(reason)}`
}
