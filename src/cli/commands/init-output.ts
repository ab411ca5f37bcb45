import type { FoundSource } from "../../team/import/foreign-sources.ts"
import type { SetUpPlan, SetUpStep } from "../../team/setup.ts"
import { colors } from "../output.ts"
import { count } from "../print.ts"

/** The result of `init` or `upgrade`, file by file; in a dry run, the plan. */
export function setUpText(plan: SetUpPlan, steps: readonly SetUpStep[], { dryRun = false } = {}): string {
  const { command, folder, git } = plan
  const changed = steps.filter(({ change }) => change !== "kept").length
  const lines = [
    ...steps.map((step) => toLine(step, dryRun)),
    "",
    changed === 0
      ? `${folder.name} is already complete; nothing to do.`
      : `${count(changed, "change")}${dryRun ? " to make" : ""}.`,
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
        ? [`not connect ${clientNames(clients)}: that needs a permanent`, 'installation ("npm install -g drey")']
        : [`ask whether to connect ${clientNames(clients)}`],
  ]
  const lines = parts.map((part, index) => `  ${index + 1}. ${part.join("\n     ")}`)
  return [`In ${plan.root} ${colors.bold("drey init")} will`, ...lines].join("\n")
}

/** `Claude Code, Codex CLI and Cursor`. */
export function clientNames(clients: readonly { name: string }[]): string {
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

type NextCommand = { command: string; does: string }

function legacyText({ legacy: { convertible, review } }: SetUpPlan): string[] {
  if (convertible + review === 0) return []
  const are = count(convertible + review, "entry is", "entries are")
  return [
    `${are} in a legacy style: "drey init --convert" converts ${convertible}, and ${review} need review with "drey convert-memory".`,
  ]
}

const paint = { created: colors.green, updated: colors.yellow, kept: colors.dim }

function toLine({ path, change, reason }: SetUpStep, dryRun: boolean): string {
  const does = dryRun ? { created: "create", updated: "update", kept: "keep" }[change] : change
  return `${paint[change](does.padEnd(7))}  ${path}  ${colors.dim(reason)}`
}

type AfterSetUp = {
  plan: SetUpPlan
  /** Whether learning from the history was stopped. */
  isStopped: boolean
  /** Coding agents that could be connected, and are not. */
  unconnected: readonly { name: string }[]
  /** Whether there is an entry or a memory that an agent could be handed. */
  isAnythingKnown: boolean
  /** The runner, such as `npx`, that fetched this Drey for one command. */
  runner: string | undefined
  /** What could be imported, and was not. */
  found: readonly FoundSource[]
  proposed: number
}

/** The two most useful commands after `init`, the most urgent first. */
export function nextCommands({
  plan,
  isStopped,
  unconnected,
  isAnythingKnown,
  runner,
  found,
  proposed,
}: AfterSetUp): NextCommand[] {
  const names = clientNames(unconnected)
  const connecting: NextCommand =
    runner === undefined
      ? { command: "drey connect", does: `connect ${names}` }
      : { command: "npm install -g drey", does: `then run "drey connect" to connect ${names}` }
  const commands: NextCommand[] = [
    ...(isStopped ? [{ command: "drey replay", does: "learn from the rest of the history" }] : []),
    ...(unconnected.length > 0 ? [connecting] : []),
    ...(plan.legacy.convertible > 0
      ? [{ command: "drey convert-memory --dry-run", does: "preview converting old entries to the current format" }]
      : []),
    ...(proposed > 0 ? [{ command: "drey inbox", does: "accept or refuse what was imported" }] : []),
    ...(isAnythingKnown ? [] : firstEntries(found)),
    { command: "drey ui", does: "explore the team's memory in the browser" },
    { command: 'drey context "Fix the login page"', does: "preview the context for a task" },
  ]
  return commands.slice(0, 2).map(({ command, does }) => ({ command: runner ? by(runner, command) : command, does }))
}

/** Ways to fill an empty memory. */
function firstEntries(found: readonly FoundSource[]): NextCommand[] {
  const [first, ...more] = found
  const importing: NextCommand[] =
    first === undefined
      ? []
      : more.length > 0
        ? [{ command: "drey import", does: "choose what to import of the above" }]
        : [{ command: `drey import ${first.path}`, does: "import it as proposals" }]
  return [...importing, { command: 'drey remember "Always run the tests"', does: "add a rule for every agent" }]
}

function by(runner: string, command: string): string {
  return command.startsWith("drey ") ? `${runner} ${command}` : command
}
