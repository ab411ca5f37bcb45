import { type Command, Option } from "commander"
import { attemptResults } from "../../formats/session/known-values.ts"
import type { AttemptEnd } from "../../sessions/session.ts"
import { given } from "../given.ts"
import { parseCount } from "../parse-count.ts"
import { print } from "../print.ts"
import { agentOf, collect, openSession, type SessionOptions, writingSubcommand } from "../session-face.ts"
import { attemptState } from "../show-session.ts"

type Options = SessionOptions & {
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

export function sessionAttemptFinishCommand(): Command {
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

async function finishAttempt(id: string, options: Options): Promise<void> {
  const { result, output, error, lessons, nextAttempt } = options
  const iterations = readNumber(options.iterations, "iterations")
  const tokens = given({
    input: readNumber(options.tokensInput, "tokens"),
    output: readNumber(options.tokensOutput, "tokens"),
  })
  const tokensUsed = Object.keys(tokens).length === 0 ? undefined : tokens
  const artifacts = options.artifact?.map(readArtifact)
  const end = { result, ...given({ output, error, lessons, nextAttempt, artifacts, iterations, tokensUsed }) }
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
