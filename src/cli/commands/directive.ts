import type { Command } from "commander"
import { actingAgent } from "../../agent.ts"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import type { Capture } from "../../squad/merge/capture-directive.ts"
import { command } from "../command.ts"
import { type CommonOptions, print, tell } from "../print.ts"

type Options = CommonOptions & { author: string }

export function directiveCommand(): Command {
  return command(
    "directive",
    'Take a rule that a person stated ("always…", "never…", "from now on…") into decisions.md at once. Exit code 1 when the words are no rule for all work to come, or hold what no memory may.',
    'drey directive "Always use single quotes." --author "Ines Falk"',
  )
    .argument("<text...>", "the person's words")
    .requiredOption("--author <name>", "the person who said it")
    .action(takeDirective)
}

async function takeDirective(words: string[], options: Options): Promise<void> {
  const capture = await openDrey({ ...options, agent: actingAgent(process.env) }).team.captureDirective(
    words.join(" "),
    options.author,
  )
  print(
    options,
    () => capture,
    () => ("acknowledgement" in capture ? capture.acknowledgement : ""),
  )
  const why = whyNot(capture)
  if (why === undefined) return
  tell(`drey: ${why}`)
  process.exitCode = exitCode.no
}

function whyNot(capture: Capture): string | undefined {
  if (capture.kind === "no-directive")
    return "this is no directive: a request, a question, or words for one agent or one piece of work."
  if (capture.kind !== "refused") return undefined
  const place = capture.where === "author" ? "the author's name" : `line ${capture.line} of the text`
  return `the directive was refused: ${place} holds what no memory may: ${capture.reason}.`
}
