import type { SetUpPlan, SetUpStep } from "../squad/init/set-up-store.ts"
import { colors } from "./colors.ts"
import { count } from "./print.ts"

/** What `init` and `upgrade` did, file by file, and what they found; before it is done, what they would. */
export function setUpText(plan: SetUpPlan, steps: readonly SetUpStep[], { dryRun = false } = {}): string {
  const { command, folder, git } = plan
  const changed = steps.filter(({ change }) => change !== "kept").length
  const lines = [
    ...steps.map(toLine),
    "",
    changed === 0 ? `${folder.name} has everything already; nothing to do.` : `${count(changed, "change")}.`,
  ]
  if (git === undefined)
    lines.push(`There is no git here, so no merge driver was installed. Run "drey ${command}" again after "git init".`)
  lines.push(...legacyText(plan))
  if (dryRun && changed > 0) lines.push("Run without --dry-run to do it.")
  return lines.join("\n")
}

/** What `init` is about to do, for a person who is asked. */
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
      ? [`leave ${plan.folder.name} as it is: it has everything already`]
      : [`add ${added.join(" and ")};`, "nothing that is there is changed"],
    ...(skipHistory
      ? []
      : [
          [
            "learn from the transcripts of coding agents that have worked here;",
            "Ctrl-C stops that, and it can go on later",
          ],
        ]),
    clients.length === 0
      ? ["connect nothing: no coding agent was found on this machine"]
      : runner !== undefined
        ? [`not connect ${namesText(clients)}: that takes a Drey that stays,`, 'which "npm install -g drey" gives']
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

/** Two commands with what each is good for, the most pressing first. */
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
    `${are} in a legacy style; "drey init --convert" converts ${convertible}; "drey convert-memory" also asks about ${review}.`,
  ]
}

const paint = { created: colors.green, updated: colors.yellow, kept: colors.dim }

function toLine({ path, change, reason }: SetUpStep): string {
  return `${paint[change](change.padEnd(7))}  ${path}  ${colors.dim(reason)}`
}
