import { realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { Drey } from "../drey.ts"
import { DreyError } from "../errors.ts"
import { removeInvisible } from "../formats/text.ts"
import { syncInBackground } from "../hooks/background-process.ts"
import type { Context, Explanation } from "../recall/context/context-builder.ts"
import { parseCount } from "./option-values.ts"
import { colors } from "./output.ts"
import { type CommonOptions, count, formatNumber, print, printNotice, printReadProblems } from "./print.ts"

export type ContextOptions = CommonOptions & {
  agent?: string
  task?: string
  budget?: string
  path?: string[]
  session?: string
  explain?: boolean
}

type ContextDrey = { root: string; context: Pick<Drey["context"], "build"> }

/** Prints the context for a task. */
export async function showContext(drey: ContextDrey, words: string[], options: ContextOptions): Promise<void> {
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
