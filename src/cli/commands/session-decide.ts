import { type Command, Option } from "commander"
import type { Impact } from "../../formats/session/agent-memory.ts"
import { decisionTypes, impacts } from "../../formats/session/known-values.ts"
import { given } from "../given.ts"
import {
  collect,
  openSession,
  printNew,
  refuseMistyped,
  requireAgent,
  requireContent,
  type SessionOptions,
  writingSubcommand,
} from "../session-face.ts"

type Options = SessionOptions & {
  type: string
  reasoning?: string
  alternative?: string[]
  impact?: Impact
  reversible?: true
  irreversible?: true
  discovery?: string[]
  attempt?: string[]
}

export function sessionDecideCommand(): Command {
  return writingSubcommand(
    "decide",
    "Record an agent's decision, with its reasons.",
    'drey session decide "Draw the PDF with pdf-lib" --type architectural --impact high --discovery discovery-002 --alternative "Chromium: not in the image"',
  )
    .argument("[description]", 'the decision; from stdin if "-" or missing')
    .requiredOption("--type <type>", decisionTypes.join(", "))
    .option("--reasoning <text>", "why")
    .option("--alternative <name: reason>", "a rejected alternative, and why; repeatable", collect)
    .addOption(new Option("--impact <impact>", "how far it reaches").choices(impacts))
    .option("--reversible", "the decision can be reversed")
    .addOption(new Option("--irreversible", "it cannot").conflicts("reversible"))
    .option("--discovery <id>", "a discovery it is based on, as id or agent/id; repeatable", collect)
    .option("--attempt <id>", "an attempt it is based on, as id or agent/id; repeatable", collect)
    .action(decide)
}

async function decide(written: string | undefined, options: Options): Promise<void> {
  refuseMistyped(options.type, decisionTypes, "type of decision")
  const description = await requireContent(written, "decision")
  const session = await openSession(options)
  const agent = await requireAgent(session, options)
  const { type, reasoning, impact, discovery: relatedDiscoveries, attempt: relatedAttempts } = options
  const alternatives = options.alternative?.map(readAlternative)
  const reversible = options.irreversible ? false : options.reversible
  const more = given({ reasoning, alternatives, impact, reversible, relatedDiscoveries, relatedAttempts })
  printNew(options, session, agent, await session.addDecision(agent, { type, description, ...more }))
}

/** `Chromium: not in the image`. */
function readAlternative(written: string): { name: string; reason: string } {
  const [name = "", ...rest] = written.split(": ")
  return { name: name.trim(), reason: rest.join(": ").trim() }
}
