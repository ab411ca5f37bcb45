import { text as textOf } from "node:stream/consumers"
import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { prepareAnswers, takePass } from "../../hooks/prepared-answers.ts"
import { answerHook } from "../../hooks/run-hook.ts"
import { command } from "../command.ts"
import { writeJson } from "../output.ts"
import { type CommonOptions, printNotice } from "../print.ts"
import { printNow } from "../print-now.ts"

/** Set for the processes that a hook starts. */
type Options = CommonOptions & { prepare?: boolean; capture?: boolean }

export function hookCommand(): Command {
  return command(
    "hook",
    "Answer a coding agent's hook. drey connect adds this command to the agent's settings; it reads the event as JSON from stdin and prints the answer in the agent's format. On an error it prints nothing, exits with 0 and logs the error to ~/.drey/hook.log.",
    `echo '{"prompt":"Fix the login test"}' | drey hook claude-code UserPromptSubmit`,
  )
    .argument(
      "[client]",
      "the agent: claude-code, codex, gemini-cli, copilot-cli, vscode-copilot, cursor, windsurf, cline, opencode, pi",
    )
    .argument("[event]", "the agent's name for the event")
    .addOption(new Option("--prepare").hideHelp())
    .addOption(new Option("--capture").hideHelp())
    .allowUnknownOption()
    .allowExcessArguments()
    .action(hook)
}

async function hook(client: string | undefined, event: string | undefined, options: Options): Promise<void> {
  const { root } = options
  if (options.prepare) return prepareAnswers(root)
  if (options.capture) return capture(options)
  if (client !== undefined && event !== undefined) return answerHook(client, event, { print: printNow, root })
  printNotice("drey: missing arguments: the agent and the event")
  process.exitCode = exitCode.no // not 2 (usage): agents treat exit code 2 of a hook as "block this tool call"
}

/** Started by a hook, which passes a one-time token: an agent that runs the command itself does not have one. */
async function capture(options: Options): Promise<void> {
  const [pass = "", ...lines] = (await textOf(process.stdin)).split("\n")
  if (!takePass(process.env, pass)) return writeJson([], 0)
  const drey = openDrey({ ...options, automatic: true })
  writeJson(await drey.team.captureRules(lines.join("\n")), 0)
  await drey.close()
}
