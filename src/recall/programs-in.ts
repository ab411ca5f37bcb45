import { splitCommand } from "../formats/commands/split-command.ts"
import { programOf, unwrapCommands } from "../formats/commands/unwrap-command.ts"

/** One program of a command line: its name, the words behind it, and all words of the line. */
export type Program = { name: string; words: readonly string[]; lineWords: ReadonlySet<string> }

/** Every program of a line, as it is written and without what only runs another: `sudo npx x` is about sudo, npx and x. */
export function programsIn(line: string): Program[] {
  if (line.trim() === "") return []
  const written = splitCommand(line)
  const lineWords = new Set(written.flatMap(({ words }) => words))
  const commands = [...written, ...unwrapCommands(line)].map(({ words }) => withoutAssignments(words))
  return [...commands, ...commands.flatMap(scriptOf)].map((words) => ({
    name: programOf(words),
    words: words.slice(1),
    lineWords,
  }))
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  return first === -1 ? [] : words.slice(first)
}

/** What a shell runs from a file: `bash scripts/deploy.sh prod` is `deploy.sh prod`. */
export function scriptOf(words: readonly string[]): (readonly string[])[] {
  if (!/^(?:bash|sh|zsh|dash)$/.test(programOf(words))) return []
  const script = words.findIndex((word, at) => at > 0 && !word.startsWith("-"))
  return script === -1 ? [] : [words.slice(script)]
}
