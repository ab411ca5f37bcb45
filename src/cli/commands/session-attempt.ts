import { type Command, Option } from "commander"
import { DreyError } from "../../errors.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { attemptResults, stepStatuses } from "../../formats/session/session-id.ts"
import type { AttemptEnd } from "../../sessions/session-api.ts"
import { commandGroup } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { print, printNotice } from "../print.ts"
import {
  agentOf,
  collect,
  openSession,
  requireAgent,
  requireContent,
  type SessionOptions,
  writingSubcommand,
} from "./session-options.ts"
import { attemptState, similarLine } from "./session-output.ts"

export function sessionAttemptCommand(): Command {
  return commandGroup(
    "attempt",
    "Record what an agent tries: at the start, on progress, and at the end.",
    'id=$(drey session attempt start "Render the PDF in Chromium" --step 2)\ndrey session attempt finish $id --result failure --error "Chromium is not in the image"',
  )
    .addCommand(sessionAttemptStartCommand())
    .addCommand(sessionAttemptUpdateCommand())
    .addCommand(sessionAttemptFinishCommand())
}

type Options = SessionOptions & { approach?: string; step?: string; command?: string[] }

function sessionAttemptStartCommand(): Command {
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
    ...omitUndefined({ approach, planStep, commands }),
  })
  print(
    options,
    () => ({ id: attempt.id, agent, session: session.id, attempt, similar }),
    () => attempt.id,
  )
  for (const each of similar) printNotice(similarLine(each))
}

type OptionsUpdate = SessionOptions & {
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

function sessionAttemptUpdateCommand(): Command {
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

async function updateAttempt(id: string, options: OptionsUpdate): Promise<void> {
  const { description, approach, command: commands, status, progress, issue: currentIssue, nextStep } = options
  const { output, summary } = options
  const subTasks = options.subTask?.map(parseSubTask)
  const planStep = options.step === undefined ? undefined : parseCount(options.step, "a step", 1, 100_000)
  const changes = omitUndefined({
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

type OptionsFinish = SessionOptions & {
  result: AttemptEnd["result"]
  output?: string
  error?: string
  lessons?: string
  nextAttempt?: string
  artifact?: string[]
  iterations?: string
  tokensInput?: string
  tokensOutput?: string
}

function sessionAttemptFinishCommand(): Command {
  return writingSubcommand(
    "finish",
    "Record how an attempt ended, its result, and what was learned.",
    'drey session attempt finish attempt-001 --result failure --error "Chromium is not in the image" --lessons "The image has no browser"\ndrey session attempt finish attempt-002 --result success --artifact src/report/pdf.ts:create',
  )
    .argument("<id>", "the attempt")
    .addOption(
      new Option("--result <result>", "how it ended")
        .choices(attemptResults.filter((result) => result !== "in_progress"))
        .makeOptionMandatory(),
    )
    .option("--output <text>", "the result")
    .option("--error <text>", "what went wrong, and why")
    .option("--lessons <text>", "what to do differently next time")
    .option("--next-attempt <text>", "what to try instead")
    .option("--artifact <path[:action]>", "a file it made, with create, modify or delete; repeatable", collect)
    .option("--iterations <number>", "number of iterations")
    .option("--tokens-input <number>", "input tokens used")
    .option("--tokens-output <number>", "output tokens used")
    .action(finishAttempt)
}

async function finishAttempt(id: string, options: OptionsFinish): Promise<void> {
  const { result, output, error, lessons, nextAttempt } = options
  const iterations = readNumber(options.iterations, "iterations")
  const tokens = omitUndefined({
    input: readNumber(options.tokensInput, "tokens"),
    output: readNumber(options.tokensOutput, "tokens"),
  })
  const tokensUsed = Object.keys(tokens).length === 0 ? undefined : tokens
  const artifacts = options.artifact?.map(readArtifact)
  const end = { result, ...omitUndefined({ output, error, lessons, nextAttempt, artifacts, iterations, tokensUsed }) }
  const session = await openSession(options)
  const attempt = await session.finishAttempt(id, end, { agent: agentOf(options) })
  print(
    options,
    () => ({ ...attempt, session: session.id }),
    () => attemptState(attempt),
  )
}

function readNumber(text: string | undefined, what: string): number | undefined {
  return text === undefined ? undefined : parseCount(text, what, 0, Number.MAX_SAFE_INTEGER)
}

/** `src/report.ts:create`; a colon that is not followed by a word belongs to the path. */
function readArtifact(written: string): { path: string; action?: string } {
  const [, path = written, action] = /^(.+):([a-z]+)$/.exec(written) ?? []
  return action === undefined ? { path } : { path, action }
}
