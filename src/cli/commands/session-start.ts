import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { colors } from "../colors.ts"
import { command } from "../command.ts"
import { given } from "../given.ts"
import { print, tell } from "../print.ts"
import { agentOf, requireContent, type SessionOptions } from "../session-face.ts"

type Options = Omit<SessionOptions, "session">

export function sessionStartCommand(): Command {
  return command(
    "start",
    "Start a session. Prints its id, which the other commands read from --session or DREY_SESSION; they need neither while only one session is open.",
    'drey session start "Send the monthly report as PDF" --agent developer\nexport DREY_SESSION=$(drey session start "Send the monthly report as PDF")',
  )
    .argument("[task...]", 'the task; from stdin if "-" or missing')
    .addOption(new Option("--agent <name>", "the session's first agent").env("DREY_AGENT"))
    .action(start)
}

async function start(words: string[], options: Options): Promise<void> {
  const task = await requireContent(words.length > 0 ? words.join(" ") : undefined, "task")
  const sessions = openDrey(options).sessions
  const { id, folder, firstAgent } = await sessions.start({ task, ...given({ agent: agentOf(options) }) })
  const agent = await firstAgent()
  print(
    options,
    () => ({ id, folder, agent }),
    () => id,
  )
  if (!options.json) tell(colors.dim(`Started a session for ${agent} in ${folder}`))
}
