import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { didYouMean } from "../../formats/text.ts"
import { command } from "../command.ts"
import { dayOneHelp } from "../help/day-one.ts"
import { listPairs, type Topic, topics } from "../help/topics.ts"
import { colors } from "../output.ts"
import { type CommonOptions, print } from "../print.ts"

export function helpCommand(): Command {
  return command(
    "help",
    "Explain a command or a topic; with --all, list every command. Without a name, shows the commands of the first day.",
    "drey help\ndrey help --all\ndrey help remember\ndrey help query",
  )
    .argument("[name...]", `a topic (${Object.keys(topics).join(", ")}), or a command`)
    .option("--all", "every command")
    .action(help)
}

async function help(words: string[], { all, ...options }: CommonOptions & { all?: boolean }): Promise<void> {
  const [name = ""] = words
  const topic = words.length === 1 && Object.hasOwn(topics, name) ? topics[name] : undefined
  if (words.length === 1 && name === "topics") return showTopics(options)
  if (words.length === 0 && !all)
    return print(
      options,
      () => ({ text: dayOneHelp }),
      () => dayOneHelp,
    )
  if (topic) return showTopic(name, topic, options)
  const { makeProgram } = await import("../program.ts")
  const program = await makeProgram()
  requireCommand(program, words).outputHelp()
}

function showTopics(options: CommonOptions): void {
  const list = Object.entries(topics).map(([name, { title }]): [string, string] => [name, title])
  print(
    options,
    () => list.map(([name, title]) => ({ name, title })),
    () =>
      `${colors.bold("Topics:")}\n${listPairs(list)}\n\nRun drey help TOPIC or drey help COMMAND for details; drey help --all lists all commands.\n${docsPlace()}`,
  )
}

function showTopic(name: string, { title, text }: Topic, options: CommonOptions): void {
  print(
    options,
    () => ({ name, title, text: text() }),
    () => `${colors.bold(title)}\n\n${text()}`,
  )
}

function requireCommand(program: Command, words: readonly string[]): Command {
  let found = program
  for (const word of words) {
    const next = found.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (!next) throw unknown(word, found === program ? [...Object.keys(topics), ...namesIn(found)] : namesIn(found))
    found = next
  }
  return found
}

function namesIn(parent: Command): string[] {
  return parent.commands.map((each) => each.name())
}

function unknown(word: string, known: readonly string[]): DreyError {
  const meant = didYouMean(word, known)
  return new DreyError(`There is no topic or command "${word}"`, {
    hint:
      meant === undefined
        ? "drey help topics lists the topics, drey help --all the commands."
        : `Did you mean ${meant}?`,
    exitCode: exitCode.no,
  })
}

/** Where to read on: the package's own pages, and the site that its manifest names. */
function docsPlace(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const page = join(folder, "docs", "install.md")
    if (existsSync(page)) {
      const { homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      return [`Documentation: ${join(folder, "docs")}`, ...(homepage ? [homepage] : [])].join(", ")
    }
    if (dirname(folder) === folder) return "" // a program that bundles Drey has no pages
  }
}
