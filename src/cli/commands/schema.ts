import { Argument, type Command } from "commander"
import { command } from "../command.ts"
import { writeJson } from "../write-out.ts"

const siblings = ["session-context", "session-conversation", "session-plan", "session-metadata"] as const
const all = ["entry", "agent-memory", ...siblings] as const

export function schemaCommand(): Command {
  return command(
    "schema",
    "Print a JSON Schema: of an entry's JSON form, of an agent's session memory (agent-memory.yaml), or of one of the other session files (context.yaml, conversation.yaml, plan.yaml, metadata.yaml).",
    "drey schema > sem.schema.json\ndrey schema agent-memory\ndrey schema session-plan",
  )
    .addArgument(new Argument("[of]", "what it describes").choices(all).default("entry"))
    .action(async (of: (typeof all)[number]) => {
      writeJson(await schemaOf(of))
    })
}

async function schemaOf(of: (typeof all)[number]): Promise<object> {
  if (of === "entry") return (await import("../../formats/entry-schema.ts")).entryJsonSchema()
  const { agentMemoryJsonSchema, siblingJsonSchema } = await import("../../formats/session/agent-memory-json-schema.ts")
  return of === "agent-memory" ? agentMemoryJsonSchema() : siblingJsonSchema(of)
}
