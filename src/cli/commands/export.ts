import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print } from "../print.ts"

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
      const { path, entries, agents, skills, redacted, leftOut } = result
      const parts = [count(entries, "entry", "entries"), count(agents, "agent"), count(skills, "skill")]
      const places = redacted.map(({ path: file, line, rule }) => `Taken out: ${file}:${line} (${rule})`)
      const older = `Left out: ${count(leftOut, "entry", "entries")} of .ai-team that .squad does not have. Move them to .squad to export them.`
      return [`Wrote ${path}: ${parts.join(", ")}.`, ...places, ...(leftOut > 0 ? [older] : [])].join("\n")
    },
  )
}
