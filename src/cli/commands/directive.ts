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
    'Add a rule that the user stated ("always…", "never…", "from now on…") to decisions.md. Exit code 1 when the text does not read like a lasting rule, or contains a secret.',
    'drey directive "Always use single quotes." --author "Ines Falk"',
  )
    .argument("<text...>", "the rule in the user's words")
    .requiredOption("--author <name>", "who stated the rule")
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
    return "this does not read like a lasting rule. It looks like a request, a question, or an instruction for one agent or task."
  if (capture.kind !== "refused") return undefined
  const place = capture.where === "author" ? "the author's name" : `line ${capture.line} of the text`
  return `not saved: ${place} contains ${capture.reason}. Remove it and try again.`
}
