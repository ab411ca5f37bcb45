import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { given } from "../given.ts"
import { print } from "../print.ts"
import { agentOf, readText, type SessionOptions, sessionOf, sessionSubcommand } from "../session-face.ts"

type Options = SessionOptions & { headingLevel: "2" | "3"; own?: boolean }

export function sessionPromptCommand(): Command {
  return sessionSubcommand(
    "prompt",
    "Print an agent's prompt followed by this session's memory: key discoveries, failures and the task's status. Includes failures and important findings of the other agents.",
    'drey session prompt --agent tester < prompts/tester.md\ndrey session prompt "You are the tester." --agent tester --heading-level 3',
  )
    .argument("[prompt...]", 'the agent\'s own prompt; from stdin if "-" or missing; may be empty')
    .addOption(new Option("--heading-level <level>", "of the headings").choices(["2", "3"]).default("2"))
    .option("--own", "only this agent's own notes")
    .action(printPrompt)
}

async function printPrompt(words: string[], options: Options): Promise<void> {
  const prompt = await readText(words.length > 0 ? words.join(" ") : undefined)
  const headingLevel = options.headingLevel === "3" ? 3 : 2
  const request = { prompt, headingLevel, own: options.own === true, ...given({ agent: agentOf(options) }) } as const
  const built = await openDrey(options).sessions.agentPrompt(sessionOf(options), request)
  print(
    options,
    () => built,
    () => built.text,
  )
}
