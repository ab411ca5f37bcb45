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

/** What to do after `init`: two commands that lead somewhere here, the most pressing first. */
export function nextCommands({ plan, isStopped, unconnected, isAnythingKnown, runner }: AfterSetUp): NextCommand[] {
  const names = namesText(unconnected)
  const connecting: NextCommand =
    runner === undefined
      ? { command: "drey connect", does: `let ${names} use it; not done yet` }
      : { command: "npm install -g drey", does: `then "drey connect" lets ${names} use it; not done yet` }
  const commands: NextCommand[] = [
    ...(isStopped ? [{ command: "drey replay", does: "learn from the rest of the history" }] : []),
    ...(unconnected.length > 0 ? [connecting] : []),
    ...(plan.legacy.convertible > 0
      ? [{ command: "drey convert-memory --dry-run", does: "see what one form for all entries would be" }]
      : []),
    ...(isAnythingKnown ? [] : firstEntries(plan)),
    { command: "drey ui", does: "see what the team knows, in the browser" },
    { command: 'drey context "Fix the login page"', does: "see what an agent would be handed for a task" },
  ]
  return commands.slice(0, 2).map(({ command, does }) => ({ command: runner ? by(runner, command) : command, does }))
}

/** How something comes into a memory that is empty. */
function firstEntries({ root, git }: SetUpPlan): NextCommand[] {
  const rules = ["CLAUDE.md", "AGENTS.md"].find((name) => existsSync(join(root, name)))
  const author = git === undefined ? "Your Name" : "$(git config user.name)"
  return [
    ...(rules === undefined ? [] : [{ command: `drey import ${rules}`, does: "propose its rules to the team" }]),
    { command: `drey directive "Always run the tests." --author "${author}"`, does: "tell every agent a rule" },
  ]
}

function by(runner: string, command: string): string {
  return command.startsWith("drey ") ? `${runner} ${command}` : command
}
