import { type Command, Option } from "commander"
import type { Importance } from "../../formats/session/agent-memory.ts"
import { discoveryTypes, importances } from "../../formats/session/known-values.ts"
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
  importance?: Importance
  summary?: string
  file?: string[]
  actionItem?: string[]
}

export function sessionDiscoverCommand(): Command {
  return writingSubcommand(
    "discover",
    "Note what an agent found out about the code or the task.",
    'drey session discover "Mails leave through one queue, with one attachment each" --type code_pattern --file src/mail/queue.ts\ncat notes.txt | drey session discover --type failure_cause --importance critical --summary "The queue drops mails over 5 MB"',
  )
    .argument("[content]", 'what was found out; from stdin when it is "-" or missing')
    .requiredOption("--type <type>", discoveryTypes.join(", "))
    .addOption(new Option("--importance <importance>", "default: medium").choices(importances))
    .option("--summary <line>", "what a prompt shows of it, instead of its first line")
    .option("--file <path>", "a file it is about; may be given again", collect)
    .option("--action-item <text>", "what is to be done about it; may be given again", collect)
    .action(discover)
}

async function discover(written: string | undefined, options: Options): Promise<void> {
  refuseMistyped(options.type, discoveryTypes, "type of discovery")
  const content = await requireContent(written, "discovery")
  const session = await openSession(options)
  const agent = await requireAgent(session, options)
  const { type, importance, summary, file: relatedFiles, actionItem: actionItems } = options
  const discovery = { type, content, ...given({ importance, summary, relatedFiles, actionItems }) }
  printNew(options, session, agent, await session.addDiscovery(agent, discovery))
}
