import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { type CommonOptions, command, count, print } from "../command.ts"

type Options = CommonOptions & { out?: string; skills?: boolean }

export function exportCommand(): Command {
  return command(
    "export",
    "Write what the team knows to one file: decisions, archives, inbox, histories, charters, governed memory and skills. Secrets and people's data are taken out of it.",
    "drey export\ndrey export --skills --out skills.json",
  )
    .option("--out <file>", "where to; default: squad-export.json in the repository")
    .option("--skills", "skills only")
    .action(exportBundle)
}

async function exportBundle(options: Options): Promise<void> {
  const result = await openDrey(options).exportBundle({
    skillsOnly: options.skills === true,
    ...(options.out === undefined ? {} : { out: options.out }),
  })
  print(
    options,
    () => result,
    () => {
      const { path, entries, agents, skills, redacted } = result
      const parts = [count(entries, "entry", "entries"), count(agents, "agent"), count(skills, "skill")]
      const files = redacted.map((file) => `Something was taken out of ${file}.`)
      return [`Wrote ${path}: ${parts.join(", ")}.`, ...files].join("\n")
    },
  )
}
