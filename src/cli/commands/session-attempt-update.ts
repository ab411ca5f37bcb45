import type { Command } from "commander"
import { DreyError } from "../../errors.ts"
import { given } from "../given.ts"
import { parseCount } from "../parse-count.ts"
import { print } from "../print.ts"
import { agentOf, collect, openSession, type SessionOptions, writingSubcommand } from "../session-face.ts"
import { attemptState } from "../show-session.ts"

type Options = SessionOptions & {
  description?: string
  approach?: string
  step?: string
  command?: string[]
  status?: string
  progress?: string
  issue?: string
  nextStep?: string
  output?: string
}

export function sessionAttemptUpdateCommand(): Command {
  return writingSubcommand(
    "update",
    "Note how an attempt goes on, or that its approach has changed.",
    'drey session attempt update attempt-001 --progress 60% --next-step "Embed the font"',
  )
    .argument("<id>", "the attempt")
    .option("--description <text>", "what is tried")
    .option("--approach <text>", "how")
    .option("--step <number>", "the step of the plan, from 1")
    .option(
      "--command <command>",
      "a command that belongs to it; may be given again; replaces those that were noted",
      collect,
    )
    .option("--status <text>", "in a word or two")
    .option("--progress <progress>", "60% or a number from 0 to 100")
    .option("--issue <text>", "what stands in the way")
    .option("--next-step <text>", "what comes next")
    .option("--output <text>", "what came of it so far")
    .action(updateAttempt)
}

async function updateAttempt(id: string, options: Options): Promise<void> {
  const { description, approach, command: commands, status, progress, issue: currentIssue, nextStep, output } = options
  const planStep = options.step === undefined ? undefined : parseCount(options.step, "a step", 1, 100_000)
  const changes = given({ description, approach, planStep, commands, status, progress, currentIssue, nextStep, output })
  if (Object.keys(changes).length === 0)
    throw new DreyError(`Nothing is said about ${id}`, { hint: "Name what has changed, as with --progress 60%." })
  const session = await openSession(options)
  const attempt = await session.updateAttempt(id, changes, { agent: agentOf(options) })
  print(
    options,
    () => ({ ...attempt, session: session.id }),
    () => attemptState(attempt),
  )
}
