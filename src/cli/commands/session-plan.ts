import { readFile } from "node:fs/promises"
import type { Command } from "commander"
import { DreyError } from "../../errors.ts"
import { stepStatuses } from "../../formats/session/known-values.ts"
import type { PlanStep } from "../../formats/session/sibling-files.ts"
import { given } from "../given.ts"
import { parseCount } from "../parse-count.ts"
import { print } from "../print.ts"
import { agentOf, collect, openSession, type SessionOptions, writingSubcommand } from "../session-face.ts"
import { planText } from "../show-session.ts"

type Options = SessionOptions & { stepDescription?: string[]; file?: string; status?: string[] }

export function sessionPlanCommand(): Command {
  return writingSubcommand(
    "plan",
    "Show the plan, write a new version, or update the status of its steps.",
    'drey session plan --step-description "Draw the PDF" --step-description "Attach it to the mail"\ndrey session plan --status 1=complete --status 2=in_progress',
  )
    .option("--step-description <text>", "a step of a new version, in order; repeatable", collect)
    .option("--file <file>", "a new version from a JSON or YAML file with a list of `steps`")
    .option("--status <step=status>", `${stepStatuses.join(", ")}; repeatable`, collect)
    .action(showOrChange)
}

async function showOrChange(options: Options): Promise<void> {
  if (options.file !== undefined && options.stepDescription !== undefined)
    throw new DreyError("--file and --step-description cannot be combined")
  const statuses = readStatuses(options.status ?? [])
  const written = options.file === undefined ? stepsOf(options.stepDescription) : await readPlan(options.file)
  const session = await openSession(options)
  const version = written && { ...written, ...given({ createdBy: agentOf(options) }) }
  const isChanged = version !== undefined || statuses.length > 0
  const plan = isChanged ? await session.updatePlan({ steps: statuses, ...given({ version }) }) : await session.plan()
  print(
    options,
    () => ({ session: session.id, plan: plan ?? null }),
    () => (plan ? planText(plan) : `${session.id} has no plan yet.`),
  )
}

function stepsOf(descriptions: readonly string[] | undefined) {
  return descriptions && { steps: descriptions.map((description) => ({ description })) }
}

async function readPlan(path: string) {
  const { readNewPlan } = await import("../../formats/session/read-new-plan.ts")
  const reading = readNewPlan(await readFile(path, "utf8").catch(cannotRead(path)))
  if (reading.kind === "plan") return reading.plan
  const { line, column, message } = reading.problem
  throw new DreyError(`${path}:${line}:${column} is not a plan: ${message}`, {
    hint: "The file needs a list `steps:`; each step is a text or a map with a `description`.",
  })
}

function cannotRead(path: string) {
  return (cause: NodeJS.ErrnoException): never => {
    throw new DreyError(
      cause.code === "ENOENT" ? `${path} does not exist` : `${path} cannot be read: ${cause.message}`,
      {
        cause,
      },
    )
  }
}

function readStatuses(pairs: readonly string[]): { step: number; status: PlanStep["status"] }[] {
  return pairs.map((pair) => {
    const [step = "", name = ""] = pair.split("=")
    const status = stepStatuses.find((each) => each === name)
    if (status) return { step: parseCount(step, "a step", 1, 100_000), status }
    throw new DreyError(`"${pair}" is not a step status`, {
      hint: `For example: --status 2=complete. A step is ${stepStatuses.join(", ")}.`,
    })
  })
}
