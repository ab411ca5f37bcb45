import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type CommandShape, completeLine, renderCompletion, shells } from "./complete-line.ts"

/**
 * Answers a Tab from the shapes of the commands, which the build has written beside this file: the program's on the first line, with the
 * names of its commands, then one line for each of these. Undefined where names of the repository are asked for, which is left to the
 * command.
 */
export function completeFast([typed, , ...words]: readonly string[]): string | undefined {
  const shell = shells.find((each) => each === typed)
  if (shell === undefined || words.length === 0) return undefined
  const [program = "", ...lines] = readFileSync(join(__dirname, "commands.jsonl"), "utf8").split("\n")
  const brief = JSON.parse(program) as CommandShape
  const commands = brief.commands.map((command, at): CommandShape => {
    const isTyped = words.some((word) => word === command.name || command.aliases.includes(word))
    return isTyped ? JSON.parse(lines[at] ?? "") : command
  })
  const completion = completeLine({ ...brief, commands }, words)
  const isKnown = ["words", "files", "folders", "nothing"].includes(completion.kind)
  return isKnown ? renderCompletion(shell, completion, words.at(-1) ?? "") : undefined
}
