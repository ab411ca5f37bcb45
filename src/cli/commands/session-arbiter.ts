import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { given } from "../given.ts"
import { print } from "../print.ts"
import { readText, type SessionOptions, sessionOf, sessionSubcommand } from "../session-face.ts"

type Options = SessionOptions & { approach?: string; topic?: string }

export function sessionArbiterCommand(): Command {
  return sessionSubcommand(
    "arbiter",
    "Print a briefing for choosing the next agent: each agent's last attempt, and recurring errors. With --approach also similar failed attempts, with --topic related discoveries.",
    'drey session arbiter "Who should go on?"\ndrey session arbiter --approach "Render the PDF in Chromium" --topic "mail queue"',
  )
    .argument("[input...]", 'the question itself; from stdin when it is "-" or missing; may be empty')
    .option("--approach <text>", "an approach under consideration")
    .option("--topic <text>", "a topic that agents may already have discoveries about")
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
