import { Command } from "commander"

/** A command with the options all of them share, and examples at the end of its help. */
export function command(name: string, description: string, example: string): Command {
  return commandGroup(name, description, example)
    .option("--root <dir>", "the repository; default: the nearest folder upwards with .squad, .ai-team or .git")
    .option("--json", "print one JSON document")
}

/** The same for a command that changes something: it can be told to print nothing but problems. */
export function writingCommand(name: string, description: string, example: string): Command {
  return command(name, description, example).option("-q, --quiet", "print nothing but problems")
}

/** A name that does nothing but hold commands; the options are theirs. */
export function commandGroup(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .summary(firstClause(description))
    .addHelpText("after", `\n${example.includes("\n") ? "Examples" : "Example"}:\n${example.replace(/^/gm, "  ")}`)
}

/**
 * The description in the list of commands: up to the first full stop or colon. A full stop within a word, such as a file's name, does not
 * count.
 */
function firstClause(text: string): string {
  return /^.*?(?=[.:](?:\s|$)|$)/.exec(text)?.[0] ?? text
}
