import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { command } from "../command.ts"
import { type CommonOptions, print } from "../print.ts"
import { validationText } from "../show-session-upkeep.ts"

type Options = CommonOptions & { strict?: boolean }

export function sessionValidateCommand(): Command {
  return command(
    "validate",
    "Check session files: syntax, fields, ids, references, times, sizes, secrets. Exit code 1 when there are errors, 2 when a file cannot be read or has a newer version.",
    "drey session validate\ndrey session validate .squad/sessions/20260214-091500-5e1c07d2-monthly-report --strict",
  )
    .argument("[paths...]", "files or folders of sessions; default: all sessions")
    .option("--strict", "treat warnings as errors")
    .action(validate)
}

async function validate(paths: string[], options: Options): Promise<void> {
  const sessions = openDrey(options).sessions
  const validation = await sessions.validate(paths.length === 0 ? undefined : paths)
  print(
    options,
    () => validation,
    () => validationText(validation),
  )
  const { files, errors, warnings } = validation
  if (errors > 0 || (options.strict && warnings > 0)) process.exitCode = exitCode.no
  if (files.some(({ unreadable }) => unreadable)) process.exitCode = exitCode.usage
}
