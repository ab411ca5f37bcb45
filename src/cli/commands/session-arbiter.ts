import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { given } from "../given.ts"
import { print } from "../print.ts"
import { readText, type SessionOptions, sessionOf, sessionSubcommand } from "../session-face.ts"

type Options = SessionOptions & { approach?: string; topic?: string }

export function sessionArbiterCommand(): Command {
  return sessionSubcommand(
    "arbiter",
    "Print what the one who chooses the next agent should know: each agent's last attempt, and errors that came back. With --approach also attempts like it that failed, with --topic what is known about it.",
    'drey session arbiter "Who should go on?"\ndrey session arbiter --approach "Render the PDF in Chromium" --topic "mail queue"',
  )
    .argument("[input...]", 'the question itself; from stdin when it is "-" or missing; may be empty')
    .option("--approach <text>", "an approach that is considered")
    .option("--topic <text>", "something that may have been found out already")
    .action(printBrief)
}

async function printBrief(words: string[], options: Options): Promise<void> {
  const prompt = await readText(words.length > 0 ? words.join(" ") : undefined)
  const { approach, topic } = options
  const request = { prompt, ...given({ approach, topic }) }
  const built = await openDrey(options).sessions.arbiterPrompt(sessionOf(options), request)
  print(
    options,
    () => built,
    () => built.text,
  )
}
