import type { SetUpPlan, SetUpStep } from "../squad/init/set-up-store.ts"
import { colors } from "./colors.ts"
import { count } from "./print.ts"

/** The result of `init` or `upgrade`, file by file; in a dry run, the plan. */
export function setUpText(plan: SetUpPlan, steps: readonly SetUpStep[], { dryRun = false } = {}): string {
  const { command, folder, git } = plan
  const changed = steps.filter(({ change }) => change !== "kept").length
  const lines = [
    ...steps.map(toLine),
    "",
    changed === 0 ? `${folder.name} is already complete; nothing to do.` : `${count(changed, "change")}.`,
  ]
  if (git === undefined)
    lines.push(
      `This is not a git repository, so no merge driver was installed. Run "drey ${command}" again after "git init".`,
    )
  lines.push(...legacyText(plan))
  if (dryRun && changed > 0) lines.push("Run without --dry-run to apply it.")
  return lines.join("\n")
}

/** What `init` is about to do, shown before it asks. */
export function intentText(
  plan: SetUpPlan,
  clients: readonly { name: string }[],
  { skipHistory = false, runner }: { skipHistory?: boolean; runner?: string | undefined } = {},
): string {
  const missing = (steps: readonly SetUpStep[] = []) => steps.filter(({ change }) => change !== "kept").length
  const isHooked = plan.hook !== undefined && plan.hook.change !== "kept"
  const added = [
    ...(missing(plan.steps) > 0 ? [`${count(missing(plan.steps), "file")} to ${plan.folder.name}`] : []),
    ...(missing(plan.git) > (isHooked ? 1 : 0) ? ["a merge driver to git"] : []),
    ...(isHooked ? ["a check before each commit"] : []),
  ]
  const parts = [
    added.length === 0
      ? [`leave ${plan.folder.name} unchanged: it is already complete`]
      : [`add ${added.join(" and ")};`, "existing files are not changed"],
    ...(skipHistory
      ? []
      : [["learn from existing transcripts of coding agents;", "Ctrl-C stops this, and it can be resumed later"]]),
    clients.length === 0
      ? ["connect no coding agent: none was found on this machine"]
      : runner !== undefined
        ? [`not connect ${namesText(clients)}: that needs a permanent`, 'installation ("npm install -g drey")']
        : [`ask whether to connect ${namesText(clients)}`],
  ]
  const lines = parts.map((part, index) => `  ${index + 1}. ${part.join("\n     ")}`)
  return [`In ${plan.root} ${colors.bold("drey init")} will`, ...lines].join("\n")
}

/** `Claude Code, Codex CLI and Cursor`. */
export function namesText(clients: readonly { name: string }[]): string {
  const names = clients.map(({ name }) => name)
  const last = names.pop() ?? ""
  return names.length === 0 ? last : `${names.join(", ")} and ${last}`
}

/** Suggested commands with a short description, the most urgent first. */
export function nextText(commands: readonly NextCommand[]): string {
  const width = Math.max(...commands.map(({ command }) => command.length))
  const lines = commands.map(({ command, does }) => `  ${command.padEnd(width)}  ${colors.dim(does)}`)
  return [colors.bold("Next:"), ...lines].join("\n")
}

export type NextCommand = { command: string; does: string }

function legacyText({ legacy: { convertible, review } }: SetUpPlan): string[] {
  if (convertible + review === 0) return []
  const are = count(convertible + review, "entry is", "entries are")
  return [
    `${are} in a legacy style: "drey init --convert" converts ${convertible}, and ${review} need review with "drey convert-memory".`,
  ]
}

const paint = { created: colors.green, updated: colors.yellow, kept: colors.dim }

function toLine({ path, change, reason }: SetUpStep): string {
  return `${paint[change](change.padEnd(7))}  ${path}  ${colors.dim(reason)}`
}
