import { existsSync } from "node:fs"
import { join } from "node:path"
import type { SetUpPlan } from "../squad/init/set-up-store.ts"
import { type NextCommand, namesText } from "./show-set-up.ts"

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
}

/** The two most useful commands after `init`, the most urgent first. */
export function nextCommands({ plan, isStopped, unconnected, isAnythingKnown, runner }: AfterSetUp): NextCommand[] {
  const names = namesText(unconnected)
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
    ...(isAnythingKnown ? [] : firstEntries(plan)),
    { command: "drey ui", does: "explore the team's memory in the browser" },
    { command: 'drey context "Fix the login page"', does: "preview the context for a task" },
  ]
  return commands.slice(0, 2).map(({ command, does }) => ({ command: runner ? by(runner, command) : command, does }))
}

/** Ways to fill an empty memory. */
function firstEntries({ root, git }: SetUpPlan): NextCommand[] {
  const rules = ["CLAUDE.md", "AGENTS.md"].find((name) => existsSync(join(root, name)))
  const author = git === undefined ? "Your Name" : "$(git config user.name)"
  return [
    ...(rules === undefined ? [] : [{ command: `drey import ${rules}`, does: "import its rules as proposals" }]),
    { command: `drey directive "Always run the tests." --author "${author}"`, does: "add a rule for every agent" },
  ]
}

function by(runner: string, command: string): string {
  return command.startsWith("drey ") ? `${runner} ${command}` : command
}
