import { Command } from "commander"
import { convertMemoryCommand } from "./commands/convert-memory.ts"
import { memoryCommand } from "./commands/memory.ts"
import { schemaCommand } from "./commands/schema.ts"
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
    .showSuggestionAfterError(true)
    .exitOverride()
  for (const command of [memoryCommand(), validateCommand(), convertMemoryCommand(), schemaCommand(), viewCommand()]) {
    settle(command)
    program.addCommand(command)
  }
  return program
}

/** What holds for every command: errors end as exceptions, so that `main` decides the exit code. */
function settle(command: Command): void {
  command.exitOverride().showSuggestionAfterError(true)
  for (const sub of command.commands) settle(sub)
}
