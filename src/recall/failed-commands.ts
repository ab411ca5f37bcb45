import { splitCommand } from "../formats/commands/split-command.ts"
import { commandsIn, patternOf } from "./commands-in.ts"
import type { FailedAttempt } from "./compile-guards.ts"
import type { CommandPattern, GuardTrigger } from "./match-guards.ts"

/** "`x` fails with …; `y` works": x, unless what makes the difference stands there. */
export function readFailure(text: string): { text: string; triggers: GuardTrigger }[] {
  const [, failing, working] = /^`([^`]+)` fail(?:s|ed)\b.{0,200}?; `([^`]+)` works/s.exec(text) ?? []
  if (failing === undefined || working === undefined || /\bcd /.test(working)) return []
  const known = new Set(wordsOf(failing))
  const unless = wordsOf(working).filter((word) => !known.has(word))
  const [words] = patternOf(failing)
  if (words === undefined || unless.length === 0) return []
  return [{ text, triggers: { commands: [{ words, unless }], paths: [], names: [], packages: [] } }]
}

function wordsOf(line: string): string[] {
  return splitCommand(line).flatMap(({ words }) => words)
}

/** The commands of an attempt, and none that is run again after every change: that they failed says nothing against running them. */
export function failedCommandsOf({ plan, commands }: Pick<FailedAttempt, "plan" | "commands">): CommandPattern[] {
  return [...commands.flatMap(patternOf), ...commandsIn(plan).map(({ words }) => words)]
    .filter((words) => words.length > 1 && !words.some((word) => checks.test(word)))
    .map((words) => ({ words }))
}

const checks =
  /^(?:.*[:-])?(?:tests?|t|lint|check|build|compile|typecheck|tsc|format|fmt|vet|clippy|pytest|vitest|jest|mocha|rspec|run|start|dev|status|log|diff|show|ls|cat|grep)(?:[:-].*)?$/i
