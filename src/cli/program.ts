import { Command } from "commander"
import { archiveCommand } from "./commands/archive.ts"
import { convertMemoryCommand } from "./commands/convert-memory.ts"
import { directiveCommand } from "./commands/directive.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { exportCommand } from "./commands/export.ts"
import { importCommand } from "./commands/import.ts"
import { initCommand } from "./commands/init.ts"
import { memoryCommand } from "./commands/memory.ts"
import { mergeCommand } from "./commands/merge.ts"
import { mergeDriverCommand } from "./commands/merge-driver.ts"
import { schemaCommand } from "./commands/schema.ts"
import { scrubCommand } from "./commands/scrub.ts"
import { statsCommand } from "./commands/stats.ts"
import { summarizeCommand } from "./commands/summarize.ts"
import { tidyCommand } from "./commands/tidy.ts"
import { undoCommand } from "./commands/undo.ts"
import { upgradeCommand } from "./commands/upgrade.ts"
import { validateCommand } from "./commands/validate.ts"
import { viewCommand } from "./commands/view.ts"

declare const DREY_VERSION: string

/** The whole command line. Each command is one file; what it does is loaded only when it runs. */
export function makeProgram(): Command {
  const program = new Command("drey")
    .description("One memory for a team of coding agents.")
    .version(typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0", "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .enablePositionalOptions() // an option belongs to the command it stands behind
    .showSuggestionAfterError(true)
    .exitOverride()
  for (const command of [
    memoryCommand(),
    validateCommand(),
    convertMemoryCommand(),
    schemaCommand(),
    viewCommand(),
    exportCommand(),
    importCommand(),
    mergeCommand(),
    directiveCommand(),
    archiveCommand(),
    summarizeCommand(),
    tidyCommand(),
    undoCommand(),
    mergeDriverCommand(),
    initCommand(),
    upgradeCommand(),
    doctorCommand(),
    statsCommand(),
    scrubCommand(),
  ]) {
    settle(command)
    program.addCommand(command)
  }
  return program
}

/** What holds for every command: errors end as exceptions, so that `main` decides the exit code. */
function settle(command: Command): void {
  command.exitOverride().showSuggestionAfterError(true).helpCommand(false)
  for (const sub of command.commands) settle(sub)
}
