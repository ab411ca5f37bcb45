import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { setUpText } from "../show-set-up.ts"

type Options = CommonOptions & { dryRun?: boolean; force?: boolean }

export function upgradeCommand(): Command {
  return command(
    "upgrade",
    "Bring a team folder up to this version of Drey: as init, and skills and templates that an older Drey installed are replaced, unless somebody has changed them.",
    "drey upgrade --dry-run\ndrey upgrade",
  )
    .option("--dry-run", "show what would be done and write nothing")
    .option("--force", 'replace changed skills and templates too; "drey undo" brings them back')
    .action(upgrade)
}

async function upgrade(options: Options): Promise<void> {
  const dryRun = options.dryRun === true
  const drey = openDrey(options)
  const plan = await drey.team.setUp.plan({ command: "upgrade", force: options.force === true })
  const steps = dryRun ? [...plan.steps, ...(plan.git ?? [])] : (await drey.team.setUp.apply(plan)).steps
  await drey.close()
  const { folder, git, legacy } = plan
  print(
    options,
    () => ({ folder: folder.name, dryRun, git: git !== undefined, files: steps, legacy }),
    () => setUpText(plan, steps, { dryRun }),
  )
}
