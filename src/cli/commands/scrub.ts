import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import type { ScrubFinding, ScrubPlan } from "../../team/scrub.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, printNotice } from "../print.ts"

type Options = CommonOptions & { dryRun?: boolean; forget?: boolean }

export function scrubCommand(): Command {
  return command(
    "scrub",
    "Find secrets and personal data in the team folder and replace them with placeholders. Prints locations and rules, never values.",
    "drey scrub --dry-run\ndrey scrub\ndrey scrub --forget",
  )
    .option("--dry-run", "show what would be replaced and write nothing")
    .option("--forget", "remove the copies kept for undo; earlier changes can no longer be undone")
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
  for (const { path, message } of unreadable) printNotice(`drey: skipped ${path}: ${message}`)
}

function toText({ findings }: ScrubPlan, options: Options): string {
  const replaced = findings.filter(({ outcome }) => outcome === "replaced").length
  const left = findings.length - replaced
  const lines = findings.map(toLine)
  if (lines.length > 0) lines.push("")
  if (findings.length === 0) lines.push("No secrets or personal data found.")
  else if (options.dryRun) lines.push(`${replaced} would be replaced. Run without --dry-run to do it.`)
  else lines.push(`${replaced} replaced.`)
  if (left > 0) lines.push(`${count(left, "passage")} left for manual review: Drey cannot tell what to replace.`)
  return lines.join("\n")
}

function toLine({ path, line, kind, rule, reason, outcome }: ScrubFinding): string {
  const what = kind === "personal data" ? `personal data (${rule})` : `${reason} (${rule})`
  return `${path}:${line}  ${what}${outcome === "left" ? "  left" : ""}`
}

/** Reminds the user, on every run, of copies that scrub cannot change. */
function tellWhatStays(plan: ScrubPlan, options: Options, forgotten: number): void {
  const replaced = plan.findings.some(({ outcome }) => outcome === "replaced")
  if (plan.findings.some(({ path }) => path.startsWith(`${plan.leftAlone}/`)))
    printNotice(`${plan.leftAlone} was not changed: if both folders exist, Drey only changes .squad.`)
  if (plan.findings.some(({ path }) => /^[^/]+\/sessions\//.test(path)))
    printNotice("Session files are not rewritten: edit them by hand.")
  for (const { path, findings } of plan.inBackups)
    printNotice(`${path} has ${count(findings, "finding")} too: backups are not changed.`)
  if (plan.touchesAudit)
    printNotice("Some findings are in the audit log: verifying it will report these lines as changed.")
  if (forgotten > 0)
    printNotice(`The old texts of ${count(forgotten, "change")} were removed; these changes can no longer be undone.`)
  if (!replaced || options.dryRun) return
  printNotice("Git history still contains the replaced values: revoke the secrets.")
  if (forgotten === 0)
    printNotice(
      'For "drey undo", the old texts are kept in Drey\'s home, readable only by you. Remove them with "drey scrub --forget".',
    )
}
