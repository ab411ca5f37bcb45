import type { Command } from "commander"
import { DreyError } from "../../errors.ts"
import { stepStatuses } from "../../formats/session/known-values.ts"
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
  summary?: string
  subTask?: string[]
}

export function sessionAttemptUpdateCommand(): Command {
  return writingSubcommand(
    "update",
    "Record an attempt's progress, or a change of approach.",
    'drey session attempt update attempt-001 --progress 60% --next-step "Embed the font"',
  )
    .argument("<id>", "the attempt")
    .option("--description <text>", "the attempt")
    .option("--approach <text>", "how")
    .option("--step <number>", "the step of the plan, from 1")
    .option("--command <command>", "a command that belongs to it; repeatable; replaces the recorded ones", collect)
    .option("--status <text>", "in a word or two")
    .option("--progress <progress>", "60% or a number from 0 to 100")
    .option("--issue <text>", "what is blocking it")
    .option("--next-step <text>", "what comes next")
    .option("--output <text>", "the result so far")
    .option("--summary <text>", "in a sentence, for prompts")
    .option(
      "--sub-task <text=status>",
      `a sub-task and its status: ${stepStatuses.join(", ")}; repeatable; replaces the recorded ones`,
      collect,
    )
    .action(updateAttempt)
}

async function updateAttempt(id: string, options: Options): Promise<void> {
  const { description, approach, command: commands, status, progress, issue: currentIssue, nextStep } = options
  const { output, summary } = options
  const subTasks = options.subTask?.map(parseSubTask)
  const planStep = options.step === undefined ? undefined : parseCount(options.step, "a step", 1, 100_000)
  const changes = given({
    description,
    approach,
    planStep,
    commands,
    status,
    progress,
    currentIssue,
    nextStep,
    output,
    summary,
    subTasks,
  })
  if (Object.keys(changes).length === 0)
    throw new DreyError(`No changes given for ${id}`, { hint: "Pass what changed, for example --progress 60%." })
  const session = await openSession(options)
  const attempt = await session.updateAttempt(id, changes, { agent: agentOf(options) })
  print(
    options,
    () => ({ ...attempt, session: session.id }),
    () => attemptState(attempt),
  )
}

type SubTask = { description: string; status: (typeof stepStatuses)[number] }

/** `Create the route=complete`; without a status it is pending. */
function parseSubTask(written: string): SubTask {
  const at = written.lastIndexOf("=")
  if (at === -1) return { description: written.trim(), status: "pending" }
  const name = written.slice(at + 1).trim()
  const status = stepStatuses.find((known) => known === name)
  if (status !== undefined) return { description: written.slice(0, at).trim(), status }
  throw new DreyError(`"${name}" is not a sub-task status`, { hint: `Write one of ${stepStatuses.join(", ")}.` })
}
