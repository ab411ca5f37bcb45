import type { Command } from "commander"
import { given } from "../given.ts"
import { parseCount } from "../parse-count.ts"
import { print, tell } from "../print.ts"
import {
  collect,
  openSession,
  requireAgent,
  requireContent,
  type SessionOptions,
  writingSubcommand,
} from "../session-face.ts"
import { similarLine } from "../show-session.ts"

type Options = SessionOptions & { approach?: string; step?: string; command?: string[] }

export function sessionAttemptStartCommand(): Command {
  return writingSubcommand(
    "start",
    "Record the start of an attempt. Prints the attempt's id and, on stderr, similar attempts of any agent that failed.",
    'drey session attempt start "Render the PDF in Chromium" --approach "Headless, from the HTML of the mail" --step 2 --agent developer',
  )
    .argument("[description]", 'the attempt; from stdin if "-" or missing')
    .option("--approach <text>", "how")
    .option("--step <number>", "the step of the plan, from 1")
    .option("--command <command>", "a command that belongs to it; repeatable", collect)
    .action(startAttempt)
}

async function startAttempt(written: string | undefined, options: Options): Promise<void> {
  const description = await requireContent(written, "description")
  const planStep = options.step === undefined ? undefined : parseCount(options.step, "a step", 1, 100_000)
  const session = await openSession(options)
  const agent = await requireAgent(session, options)
  const { approach, command: commands } = options
  const { attempt, similar } = await session.startAttempt(agent, {
    description,
    ...given({ approach, planStep, commands }),
  })
  print(
    options,
    () => ({ id: attempt.id, agent, session: session.id, attempt, similar }),
    () => attempt.id,
  )
  for (const each of similar) tell(similarLine(each))
}
