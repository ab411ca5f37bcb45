import type { Command } from "commander"
import { colors } from "../colors.ts"
import { given } from "../given.ts"
import { print, tell } from "../print.ts"
import { agentOf, openSession, requireContent, type SessionOptions, writingSubcommand } from "../session-face.ts"

type Options = SessionOptions & { role: string }

export function sessionSayCommand(): Command {
  return writingSubcommand(
    "say",
    "Add a message to the session's conversation.",
    'drey session say "A4, please" --role user\ndrey session say --role assistant --agent developer < answer.txt',
  )
    .argument("[content...]", 'the message; from stdin if "-" or missing')
    .requiredOption("--role <role>", "who spoke: user, assistant, system, tool")
    .action(say)
}

async function say(words: string[], options: Options): Promise<void> {
  const content = await requireContent(words.length > 0 ? words.join(" ") : undefined, "message")
  const session = await openSession(options)
  const message = await session.addMessage({ role: options.role, content, ...given({ agent: agentOf(options) }) })
  print(
    options,
    () => ({ ...message, session: session.id }),
    () => message.id,
  )
  if (!options.json) tell(colors.dim(`Added to ${session.id}`))
}
