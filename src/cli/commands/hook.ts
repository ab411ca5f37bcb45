import { text as textOf } from "node:stream/consumers"
import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { exitCode } from "../../errors.ts"
import { takePass } from "../../hooks/preparation.ts"
import { answerHook } from "../answer-hook.ts"
import { command } from "../command.ts"
import { type CommonOptions, tell } from "../print.ts"
import { writeJson } from "../write-out.ts"

/** Set for the processes that a hook starts. */
type Options = CommonOptions & { prepare?: boolean; capture?: boolean }

export function hookCommand(): Command {
  return command(
    "hook",
    "Answer a hook of a coding agent: it is written by drey connect into the agent's settings, tells what happened as JSON on stdin and reads the answer in its own form. On any trouble there is no answer, the exit code is 0 all the same, and ~/.drey/hook.log says why.",
    `echo '{"prompt":"Fix the login test"}' | drey hook claude-code UserPromptSubmit`,
  )
    .argument(
      "[client]",
      "the agent: claude-code, codex, gemini-cli, copilot-cli, vscode-copilot, cursor, windsurf, cline, opencode",
    )
    .argument("[event]", "the event as the agent calls it")
    .addOption(new Option("--prepare").hideHelp())
    .addOption(new Option("--capture").hideHelp())
    .allowUnknownOption()
    .allowExcessArguments()
    .action(hook)
}

async function hook(client: string | undefined, event: string | undefined, options: Options): Promise<void> {
  const { root } = options
  if (options.prepare) return (await import("../../hooks/prepare-answers.ts")).prepareAnswers(root)
  if (options.capture) return capture(options)
  if (client !== undefined && event !== undefined) return answerHook(client, event, root)
  tell("drey: name the agent and the event")
  process.exitCode = exitCode.no // not that of wrong usage: by that one, hooks forbid what the agent is about to do
}

/** A hook starts this, and says so with a pass that counts once: an agent that runs it has none. */
async function capture(options: Options): Promise<void> {
  const [pass = "", ...lines] = (await textOf(process.stdin)).split("\n")
  if (!takePass(process.env, pass)) return writeJson([], 0)
  const drey = openDrey({ ...options, automatic: true })
  writeJson(await drey.team.captureRules(lines.join("\n")), 0)
  await drey.close()
}
