import { realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { removeInvisible } from "../../formats/text.ts"
import { isRunByAgent } from "../../hooks/acting-agent.ts"
import { syncInBackground } from "../../hooks/background-process.ts"
import type { Context, Explanation } from "../../recall/context/context-builder.ts"
import { command } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, formatNumber, print, printNotice, printReadProblems } from "../print.ts"

type Options = CommonOptions & {
  agent?: string
  task?: string
  budget?: string
  path?: string[]
  session?: string
  explain?: boolean
}

export function contextCommand(): Command {
  return command(
    "context",
    "Hand an agent what it needs for a task: the team's rules, then every active entry that fits a budget of tokens, the most relevant first, each with its source.",
    'drey context --agent kane --task "Add a refresh token to the login"\ndrey context --task "Rename the API routes" --path src/api --budget 1000 --explain',
  )
    .argument("[task...]", "the task, instead of --task")
    .option("--agent <name>", "include this agent's history; default: none")
    .option("--task <text>", "what the agent will do; default: the rules and the newest entries")
    .option("--budget <tokens>", "maximum size", "2000")
    .option("--path <path...>", "files or folders the task is about")
    .option("--session <id>", "the client's session: a task that is requested again in the same session counts once")
    .option(
      "--explain",
      "show every candidate with its signals, score, reason and token cost (preview; not counted as use)",
    )
    .action(showContext)
}

async function showContext(words: string[], options: Options): Promise<void> {
  const drey = openDrey({ ...options, automatic: isRunByAgent() })
  if (options.task !== undefined && words.length > 0)
    throw new DreyError("The task was given twice", { hint: "Pass it with --task or as arguments, not both." })
  const { context, ...trouble } = await drey.context.build({
    agent: options.agent,
    task: options.task ?? (words.length === 0 ? undefined : words.join(" ")),
    budget: parseCount(options.budget ?? "2000", "tokens", 1, 1_000_000),
    paths: options.path?.map((path) => pathFromRoot(path, drey.root, process.cwd())),
    session: options.session,
    isLook: options.explain === true,
  })
  print(
    options,
    () => toDocument(context, options.explain === true),
    () => (options.explain ? toExplanation(context) : context.text),
  )
  if (!options.json && !options.explain) printNotice(colors.dim(summary(context)))
  printReadProblems(trouble)
  syncInBackground({ program: process.argv[1] ?? "", root: drey.root, environment: process.env })
}

function toDocument({ explanation, ...context }: Context, explain: boolean): object {
  return explain ? { ...context, explanation } : context
}

function summary({ included, tokens, budget, taskId, explanation }: Context): string {
  if (included.length === 0) {
    const tooLarge = explanation.filter(({ lane }) => lane !== undefined).length
    return tooLarge === 0
      ? "Nothing relevant found."
      : `None of ${count(tooLarge, "item")} fits into ${count(budget, "token")}.`
  }
  return `${count(included.length, "item")}, ${formatNumber(tokens)} of ${formatNumber(budget)} tokens (task ${taskId})`
}

const notKeptShown = 20

function toExplanation(context: Context): string {
  const kept = context.explanation.filter((each) => each.kept)
  const left = context.explanation.filter((each) => !each.kept)
  const hidden = left.length - notKeptShown
  return [
    summary(context),
    ...kept.map((each) => explainLine(colors.green("kept"), each)),
    ...left.slice(0, notKeptShown).map((each) => explainLine(colors.yellow("left"), each)),
    ...(hidden > 0 ? [colors.dim(`and ${hidden} more that were left out; --json lists all`)] : []),
  ].join("\n")
}

function explainLine(mark: string, { id, title, reason, score, relevance, signals, tokens }: Explanation): string {
  const shown = Object.entries(signals ?? {}).flatMap(([name, value]) =>
    typeof value === "number" ? [`${name} ${value.toFixed(2)}`] : [],
  )
  const figures = [`score ${score.toFixed(3)}`, `relevance ${relevance.toFixed(2)}`, ...shown, `${tokens} tokens`]
  return `\n${mark}  ${colors.bold(removeInvisible(title))} ${colors.dim(`[${removeInvisible(id)}]`)}\n      ${reason}\n      ${colors.dim(figures.join(" · "))}`
}

/** A path typed in `folder`, relative to the repository root. A path outside is returned unchanged. */
export function pathFromRoot(path: string, root: string, folder: string): string {
  const realRoot = realPath(root)
  const isInside = isWithin(relative(realRoot, realPath(folder)))
  const found = relative(realRoot, realPath(resolve(isInside ? folder : root, path)))
  return isWithin(found) ? found.split(sep).join("/") : path
}

/** Without links, also for a file that does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if (parent === path) throw error
    return join(realPath(parent), basename(path))
  }
}

function isWithin(path: string): boolean {
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}
