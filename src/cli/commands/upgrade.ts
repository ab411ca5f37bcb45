import type { Command } from "commander"
import { command } from "../command.ts"
import { type SetUpFlags, setUp } from "./init.ts"

export function upgradeCommand(): Command {
  return command(
    "upgrade",
    "Bring a team folder up to this version of Drey: as init, and skills and templates that an older Drey installed are replaced, unless somebody has changed them.",
    "drey upgrade --dry-run\ndrey upgrade",
  )
    .option("--dry-run", "show what would be done and write nothing")
    .option("--force", 'replace changed skills and templates too; "drey undo" brings them back')
    .action((options: SetUpFlags) => setUp("upgrade", options))
}
