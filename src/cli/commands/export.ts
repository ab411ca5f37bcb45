import { join, resolve } from "node:path"
import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print } from "../print.ts"

type Options = CommonOptions & {
  out?: string
  skills?: boolean
  learned?: boolean
  kind?: string
  allProjects?: boolean
}

export function exportCommand(): Command {
  return command(
    "export",
    "Export the team's memory to one file: decisions, archives, inbox, histories, charters, governed memory and skills. Secrets and personal data are redacted.",
    "drey export\ndrey export --skills --out skills.json\ndrey export --learned --kind invariant",
  )
    .option("--out <file>", "output file; default: squad-export.json in the repository")
    .option("--skills", "skills only")
    .option("--learned", "export learned memories instead (on trial and proven), to drey-learned.json")
    .option("--kind <kind>", "with --learned: only invariants, preferences, patterns, guards or notes")
    .option("--all-projects", "with --learned: from every project")
    .action((options: Options) => (options.learned ? exportLearned(options) : exportBundle(options)))
}

async function exportLearned(options: Options): Promise<void> {
  const drey = openDrey(options)
  const result = await drey.memories.export(resolve(options.out ?? join(drey.root, "drey-learned.json")), {
    ...(options.kind === undefined ? {} : { kind: options.kind }),
    everywhere: options.allProjects === true,
  })
  await drey.close()
  print(
    options,
    () => result,
    () => `Wrote ${result.path}: ${count(result.memories, "memory", "memories")}.`,
  )
}

async function exportBundle(options: Options): Promise<void> {
  const result = await openDrey(options).team.export({
    skillsOnly: options.skills === true,
    ...(options.out === undefined ? {} : { out: options.out }),
  })
  print(
    options,
    () => result,
    () => {
      const { path, entries, agents, skills, redacted, leftOut } = result
      const parts = [count(entries, "entry", "entries"), count(agents, "agent"), count(skills, "skill")]
      const places = redacted.map(({ path: file, line, rule }) => `Redacted: ${file}:${line} (${rule})`)
      const older = `Skipped: ${count(leftOut, "entry", "entries")} in .ai-team that .squad does not have. Move them to .squad to export them.`
      return [`Wrote ${path}: ${parts.join(", ")}.`, ...places, ...(leftOut > 0 ? [older] : [])].join("\n")
    },
  )
}
