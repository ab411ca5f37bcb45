import type { Command } from "commander"
import { makeProgram } from "../src/cli/program.ts"

/** Every command that does something, in the order of `drey help --all`, with the examples of its help. */
export async function allCommands(): Promise<{ name: string; examples: string[] }[]> {
  return below(await makeProgram(), "").map(({ name, command }) => ({ name, examples: examplesOf(command) }))
}

function below(parent: Command, path: string): { name: string; command: Command }[] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`
    const others = below(command, `${name} `)
    const acts = command.registeredArguments.length > 0 || command.options.some(({ long }) => long === "--json")
    return acts ? [{ name, command }, ...others] : others
  })
}

function examplesOf(command: Command): string[] {
  let help = ""
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  const [, block = ""] = /^Examples?:\n((?: {2}.*\n)+)/m.exec(help) ?? []
  return [...block.matchAll(/^ {2}(.*)$/gm)].map(([, line = ""]) => line)
}
