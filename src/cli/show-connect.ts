import { isAbsolute, relative } from "node:path"
import type { FileResult } from "../connect/apply-connect.ts"
import type { LineChange } from "../connect/line-diff.ts"
import type { ConnectPlan } from "../connect/plan-connect.ts"
import type { DisconnectPlan, FileRestoration } from "../connect/plan-disconnect.ts"
import type { FilePlan } from "../connect/plan-file.ts"
import { colors } from "./colors.ts"
import { count } from "./print.ts"

/** Paths are shown relative to the repository, or with `~` for the home folder. */
export type Place = { root: string; home: string | undefined }

export function connectDocument(plan: ConnectPlan, results: FileResult[] | undefined) {
  const { command, args, isPortable } = plan.command
  return {
    command: [command, ...args],
    isPortable,
    written: results !== undefined,
    clients: plan.clients,
    files: plan.files.map((file) => ({
      path: file.path,
      clients: file.clients,
      purpose: file.purpose,
      change: file.change,
      ...(file.change === "left" ? { reason: file.reason } : { lines: file.lines, kept: file.kept }),
      ...problemOf(results, file.path),
    })),
  }
}

/** The plan as text: per file, the changed lines and the clients they are for. */
export function planText(plan: ConnectPlan, place: Place): string {
  if (plan.clients.length === 0)
    return "No coding agent was found on this machine or in this repository.\nName the ones you use, for example: drey connect claude-code"
  const names = new Map(plan.clients.map(({ id, name }) => [id, name]))
  const lines = plan.clients.map(
    ({ name, scope, reason }) => `${colors.bold(name)}  ${colors.dim(`${reason}; ${scope} files`)}`,
  )
  const changed = plan.files.filter(({ change }) => change !== "none")
  for (const file of changed) {
    const why = colors.dim(`${file.purpose} for ${namesOf(file, names)}`)
    lines.push("", `${mark(file)} ${shown(file.path, place)}  ${why}`)
    if (file.change === "left") lines.push(`    ${file.reason}`)
    else lines.push(...showLines(file).map((line) => `    ${line}`))
  }
  for (const file of plan.files)
    if (file.change !== "left") lines.push(...file.kept.map((words) => `  ${shown(file.path, place)}: ${words}`))
  lines.push("", summary(plan))
  if (!plan.command.isPortable)
    lines.push(
      `"drey" is not on the PATH, so these files contain paths of this machine: ${[plan.command.command, ...plan.command.args].join(" ")}`,
      'To write files that others can use, install Drey ("npm install -g drey") and connect again.',
    )
  return lines.join("\n")
}

/** The plan in short: a line for each file that would be written. */
export function filesText(plan: ConnectPlan, place: Place): string {
  const names = new Map(plan.clients.map(({ id, name }) => [id, name]))
  return plan.files
    .filter(({ change }) => change !== "none")
    .map((file) => {
      const why = file.change === "left" ? `skipped: ${file.reason}` : `${file.purpose} for ${namesOf(file, names)}`
      return `  ${mark(file)} ${shown(file.path, place)}  ${colors.dim(why)}`
    })
    .join("\n")
}

function namesOf({ clients }: FilePlan, names: ReadonlyMap<string, string>): string {
  return clients.map((id) => names.get(id) ?? id).join(", ")
}

/** The result, and what the user still has to do. */
export function resultText(plan: ConnectPlan, results: FileResult[], place: Place): string {
  const failed = results.filter(({ problem }) => problem !== undefined)
  const lines = failed.map(({ path, problem }) => `${colors.red("not written")} ${shown(path, place)}: ${problem}`)
  const todo = plan.clients.flatMap(({ stillToDo }) => stillToDo)
  lines.push(`${count(results.length - failed.length, "file")} written. "drey disconnect" restores every file exactly.`)
  if (todo.length > 0) lines.push("", colors.bold("Still to do:"), ...todo.map((words) => `- ${words}`))
  return lines.join("\n")
}

export function disconnectDocument(plan: DisconnectPlan, results: FileResult[], dryRun: boolean) {
  return {
    dryRun,
    files: plan.files.map(({ path, clients, change, note }) => ({
      path,
      clients,
      change,
      ...(note === undefined ? {} : { note }),
      ...problemOf(results, path),
    })),
  }
}

export function disconnectText(plan: DisconnectPlan, results: FileResult[], place: Place, dryRun: boolean): string {
  const problems = new Map(results.flatMap(({ path, problem }) => (problem === undefined ? [] : [[path, problem]])))
  const shownFiles = plan.files.filter(({ change, note }) => change !== "none" || note !== undefined)
  if (shownFiles.length === 0) return "No coding agent is connected; nothing to do."
  const lines = shownFiles.map((file) => restorationLine(file, problems.get(file.path), place))
  if (dryRun) lines.push("", "Run without --dry-run to apply it.")
  return lines.join("\n")
}

function restorationLine({ path, change, note }: FileRestoration, problem: string | undefined, place: Place): string {
  const words = problem === undefined ? change : "left"
  const why = problem ?? note
  return `${words.padEnd(8)}  ${shown(path, place)}${why === undefined ? "" : `  ${colors.dim(why)}`}`
}

function problemOf(results: FileResult[] | undefined, path: string): { problem?: string } {
  const problem = results?.find((result) => result.path === path)?.problem
  return problem === undefined ? {} : { problem }
}

function summary(plan: ConnectPlan): string {
  const changed = plan.files.filter(({ change }) => change === "created" || change === "changed").length
  const left = plan.files.filter(({ change }) => change === "left").length
  const words = changed === 0 ? "Already connected." : `${count(changed, "file")} to write.`
  return left === 0 ? words : `${words} ${count(left, "file")} skipped.`
}

function mark({ change }: FilePlan): string {
  if (change === "left") return colors.red("!")
  return change === "created" ? colors.green("+") : colors.yellow("~")
}

const mostShown = 60

/** Skill files are shown by their length, other files with every added or changed line. */
function showLines(file: FilePlan & { lines: LineChange[] }): string[] {
  const lines = file.lines.flatMap(({ removed, added }) => [
    ...removed.map((line) => colors.red(`- ${line}`)),
    ...added.map((line) => colors.green(`+ ${line}`)),
  ])
  if (file.purpose === "skill") return [colors.dim(count(lines.length, "line"))]
  const rest = lines.length - mostShown
  return rest > 0 ? [...lines.slice(0, mostShown), colors.dim(`… ${count(rest, "more line", "more lines")}`)] : lines
}

function shown(path: string, { root, home }: Place): string {
  const inside = relative(root, path)
  if (!inside.startsWith("..") && !isAbsolute(inside)) return inside
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
