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
    "Record an agent's discovery about the code or the task.",
    'drey session discover "Mails leave through one queue, with one attachment each" --type code_pattern --file src/mail/queue.ts\ncat notes.txt | drey session discover --type failure_cause --importance critical --summary "The queue drops mails over 5 MB"',
  )
    .argument("[content]", 'the discovery; from stdin if "-" or missing')
    .requiredOption("--type <type>", discoveryTypes.join(", "))
    .addOption(new Option("--importance <importance>", "default: medium").choices(importances))
    .option("--summary <line>", "the line that prompts show; default: its first line")
    .option("--file <path>", "a related file; repeatable", collect)
    .option("--action-item <text>", "a follow-up task; repeatable", collect)
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
