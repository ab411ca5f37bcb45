import type { TranscriptEvent } from "../clients/transcript-event.ts"
import type { Command } from "../formats/commands/split-command.ts"
import { findErrorLine } from "../formats/error-line.ts"
import { answersByExitCode, compares, readsOnly } from "./commands/reads-only.ts"

/**
 * Whether a result is a failure: by its exit code, else by the one in the log, else by error text at the beginning of a
 * line, except for read-only commands. A call refused by the user or blocked by the client is not a failure.
 */
export function isError(result: TranscriptEvent, commands: readonly Command[], test?: "passed" | "failed"): boolean {
  if (result.incident !== undefined) return false
  const { exitCode } = result
  if (exitCode !== undefined) return exitCode !== 0 && !isAnswer(result, exitCode, commands)
  if (result.isError !== undefined) return result.isError && !isGuardrail(result) && !isAnswer(result, 1, commands)
  if (result.action === "read" || result.action === "search" || result.action === "ask" || readsOnly(commands))
    return false
  if (test === "passed") return false // tests may print the errors they provoke
  return findErrorLine(result.text) !== undefined && !isGuardrail(result)
}

/** Exit code 1 of grep, test or which with almost no output is an answer; so is that of diff with any output. */
function isAnswer({ text }: TranscriptEvent, exitCode: number, commands: readonly Command[]): boolean {
  if (exitCode !== 1 || commands.length === 0) return false
  return compares(commands.slice(-1)) || (answersByExitCode(commands) && withoutFrame(text).length <= littleText)
}

const littleText = 40

function withoutFrame(text: string): string {
  return text.length > 2000 ? text : text.replace(frame, "").trim()
}

/** Text that clients add around an output. */
const frame =
  /^(?:Error: )?(?:Exit code:? ?\d+|Process exited with code \d+|Chunk ID: .*|Wall time: .*|Original token count: .*|Total output lines: .*|Output:|<?\(?no output\)?>?|<[^<>\n]{0,80}exit(?:ed with)? (?:exit )?code \d+>)\s*$/gim

/** Rules of the client, not failures of the work: the next attempt follows the rule and succeeds. */
function isGuardrail({ text }: TranscriptEvent): boolean {
  return guardrails.test(text.slice(0, 600))
}

const guardrails =
  /file has not been read yet|has been (?:unexpectedly modified|modified since)|(?:must|need to) (?:first )?(?:use the )?read (?:tool|the file|it first)|requested permissions? to|haven't granted|requires? approval|approval (?:is )?required|sibling tool call errored|cancelled: parallel tool call|request interrupted by user|doesn't want to (?:proceed|take)|(?:rejected|aborted|denied|cancelled|canceled|declined) by (?:the )?user|user (?:rejected|declined|cancelled|denied)|permission (?:to use \S{1,80} )?(?:has been|was) denied|blocked by (?:a )?(?:hook|policy|user)|for security, claude code may only|may only (?:access|concatenate|read)|no changes to make|exceeds maximum allowed|streaming fallback|tool is not (?:available|enabled)|not in plan mode/i
