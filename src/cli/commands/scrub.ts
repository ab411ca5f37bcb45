import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import type { ScrubFinding, ScrubPlan } from "../../squad/scrub.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, tell } from "../print.ts"

type Options = CommonOptions & { dryRun?: boolean; forget?: boolean }

export function scrubCommand(): Command {
  return command(
    "scrub",
    "Find secrets and personal data in all files of the team folder and put marks in their place. Shows places and rules, never a value.",
    "drey scrub --dry-run\ndrey scrub\ndrey scrub --forget",
  )
    .option("--dry-run", "show what would be replaced and write nothing")
    .option("--forget", "remove the old texts that are kept for undo; earlier changes cannot be undone after it")
    .action(scrub)
}

async function scrub(options: Options): Promise<void> {
  const drey = openDrey(options)
  const plan = await drey.team.scrub.plan()
  if (!options.dryRun) await drey.team.scrub.apply(plan)
  const forgotten = options.forget && !options.dryRun ? await drey.team.changes.forget() : 0
  const { findings, inBackups, touchesAudit, unreadable } = plan
  print(
    options,
    () => ({ dryRun: options.dryRun === true, findings, inBackups, touchesAudit, unreadable, forgotten }),
    () => toText(plan, options),
  )
  if (!options.json) tellWhatStays(plan, options, forgotten)
  for (const { path, message } of unreadable) tell(`drey: skipped ${path}: ${message}`)
}

function toText({ findings }: ScrubPlan, options: Options): string {
  const replaced = findings.filter(({ outcome }) => outcome === "replaced").length
  const left = findings.length - replaced
  const lines = findings.map(toLine)
  if (lines.length > 0) lines.push("")
  if (findings.length === 0) lines.push("No secret and no personal data was found.")
  else if (options.dryRun) lines.push(`${replaced} would be replaced. Run without --dry-run to do it.`)
  else lines.push(`${replaced} replaced.`)
  if (left > 0)
    lines.push(`${count(left, "passage")} left for you to look at: what to put there, only the user can tell.`)
  return lines.join("\n")
}

function toLine({ path, line, kind, rule, reason, outcome }: ScrubFinding): string {
  const what = kind === "personal data" ? `personal data (${rule})` : `${reason} (${rule})`
  return `${path}:${line}  ${what}${outcome === "left" ? "  left" : ""}`
}

/** What scrubbing cannot reach has to be said each time. */
function tellWhatStays(plan: ScrubPlan, options: Options, forgotten: number): void {
  const replaced = plan.findings.some(({ outcome }) => outcome === "replaced")
  if (plan.findings.some(({ path }) => path.startsWith(`${plan.leftAlone}/`)))
    tell(`${plan.leftAlone} was left alone: where both are there, Drey changes .squad only.`)
  if (plan.findings.some(({ path }) => /^[^/]+\/sessions\//.test(path)))
    tell("Files of sessions are not rewritten here: take it out of them by hand.")
  for (const { path, findings } of plan.inBackups)
    tell(`${path} has ${count(findings, "finding")} too: backups are kept as they were.`)
  if (plan.touchesAudit) tell("Lines of the audit are among them: its verification will show that they were changed.")
  if (forgotten > 0)
    tell(`The old texts of ${count(forgotten, "change")} were removed; they cannot be undone any more.`)
  if (!replaced || options.dryRun) return
  tell("git's history still has what was replaced: have secrets revoked.")
  if (forgotten === 0)
    tell(
      'The old texts are kept in Drey\'s home, which only you can read, so that "drey undo" works, until "drey scrub --forget" removes them.',
    )
}
