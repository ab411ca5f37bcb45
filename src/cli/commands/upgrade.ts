import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { setUpText } from "../show-set-up.ts"

type Options = CommonOptions & { dryRun?: boolean; force?: boolean }

export function upgradeCommand(): Command {
  return command(
    "upgrade",
    "Upgrade a team folder to this version of Drey: same as init, and also replaces skills and templates installed by an older version, unless they were edited.",
    "drey upgrade --dry-run\ndrey upgrade",
  )
    .option("--dry-run", "show what would be done and write nothing")
    .option("--force", 'also replace edited skills and templates; "drey undo" restores them')
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
