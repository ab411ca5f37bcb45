import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type CommandShape, completeLine, renderCompletion, shells } from "./complete-line.ts"

/**
 * Answers a Tab from the shapes of the commands, which the build has written beside this file. Undefined where names of the repository
 * are asked for, which is left to the command.
 */
export function completeFast([typed, , ...words]: readonly string[]): string | undefined {
  const shell = shells.find((each) => each === typed)
  if (shell === undefined || words.length === 0) return undefined
  const shapes = JSON.parse(readFileSync(join(__dirname, "commands.json"), "utf8")) as CommandShape
  const completion = completeLine(shapes, words)
  const isKnown = ["words", "files", "folders", "nothing"].includes(completion.kind)
  return isKnown ? renderCompletion(shell, completion, words.at(-1) ?? "") : undefined
}
